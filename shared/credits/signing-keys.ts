import type { Context } from '../context.ts';
import { isStoreError } from '../errors.ts';
import { raw } from '../mongo.ts';
import type { SigningKey } from './model.ts';
import type { PublicJwk } from './signer.ts';

interface Known {
  keys: Map<string, PublicJwk>;
  published: string | null;
}

const known = new WeakMap<Context, Known>();

/** Keeps the public half of the key that signs now for ever, so that its receipts can be checked after a rotation. */
export async function publishSigningKey(ctx: Context): Promise<void> {
  const jwk = ctx.signer.publicKey();
  const memory = memoryOf(ctx);
  if (jwk === null || memory.published === jwk.kid) return;
  const row: SigningKey = { _id: jwk.kid, x: jwk.x, created_at: new Date(ctx.clock.now()) };
  await raw(ctx.db.signingKeys).updateOne({ _id: jwk.kid }, { $setOnInsert: row }, { upsert: true });
  memory.published = jwk.kid;
}

/** Every key that has signed, the present one included. Without MongoDB those that this process knows. */
export async function readJwks(ctx: Context): Promise<PublicJwk[]> {
  const { keys } = memoryOf(ctx);
  try {
    await publishSigningKey(ctx);
    const rows = await ctx.db.signingKeys.find({}).lean<SigningKey[]>();
    for (const { _id, x } of rows) keys.set(_id, jwkOf(_id, x));
  } catch (error) {
    if (!isStoreError(error)) throw error;
  }
  const current = ctx.signer.publicKey();
  if (current) keys.set(current.kid, current);
  return [...keys.values()];
}

function memoryOf(ctx: Context): Known {
  const memory = known.get(ctx) ?? { keys: new Map(), published: null };
  known.set(ctx, memory);
  return memory;
}

function jwkOf(kid: string, x: string): PublicJwk {
  return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'Ed25519', use: 'sig' };
}
