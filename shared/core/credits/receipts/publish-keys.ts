import { isStoreError } from '../../../platform/basics/errors.ts';
import { every } from '../../../platform/basics/every.ts';
import type { Context } from '../../../platform/context/context.ts';
import { perContext } from '../../../platform/context/per-context.ts';
import { type SigningKey, signingKeyRows } from '../model.ts';
import { jwkOf, type PublicJwk, signerOf } from './signer.ts';

interface Known {
  keys: Map<string, PublicJwk>;
  /** Ids of the keys that are in MongoDB. */
  published: Set<string>;
}

const knownOf = perContext((): Known => ({ keys: new Map(), published: new Set() }));

const RETRY_MS = 5_000;

/**
 * Keeps the public half of each key that signs here, from now on, for ever: also of one that is replaced before anybody
 * asked for it. Nothing waits for it; while MongoDB is away it tries again. Returns how to stop.
 */
export function keepKeysPublished(ctx: Context): () => Promise<void> {
  const publish = () =>
    publishKnownKeys(ctx).catch((error: unknown) =>
      ctx.log.warn({ err: error }, 'a public key is not stored yet; trying again'),
    );
  signerOf(ctx).onKey((jwk) => {
    knownOf(ctx).keys.set(jwk.kid, jwk);
    void publish();
  });
  return every(RETRY_MS, publish);
}

/** Keeps a public key for ever, so that its receipts can be checked after a rotation. */
export async function publishSigningKey(ctx: Context, { kid, x }: PublicJwk): Promise<void> {
  const row: SigningKey = { _id: kid, x, created_at: new Date(ctx.clock.now()) };
  await signingKeyRows(ctx).updateOne({ _id: kid }, { $setOnInsert: row }, { upsert: true });
}

async function publishKnownKeys(ctx: Context): Promise<void> {
  const current = signerOf(ctx).publicKey();
  const { keys, published } = knownOf(ctx);
  if (current) keys.set(current.kid, current);
  for (const key of keys.values()) {
    if (published.has(key.kid)) continue;
    await publishSigningKey(ctx, key);
    published.add(key.kid);
  }
}

/** Every key that has signed, the present one included. Without MongoDB those that this process knows. */
export async function readJwks(ctx: Context): Promise<PublicJwk[]> {
  const { keys, published } = knownOf(ctx);
  try {
    await publishKnownKeys(ctx);
    const rows = await signingKeyRows(ctx).find({}).toArray();
    for (const { _id, x } of rows) {
      keys.set(_id, jwkOf(_id, x));
      published.add(_id);
    }
  } catch (error) {
    if (!isStoreError(error)) throw error;
  }
  return [...keys.values()];
}
