import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Config } from '../../platform/basics/config.ts';
import type { Log } from '../../platform/basics/log.ts';
import { perContext } from '../../platform/context/per-context.ts';

/** A public key as RFC 8037 has it. */
export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
  alg: 'Ed25519';
  use: 'sig';
}

/** Signs receipts. A key service could stand behind it; this one holds a key of its own. */
export interface Signer {
  /** Signs claims as a compact JWS: at once when the key is here. Throws when there is no usable key. */
  sign(claims: Record<string, unknown>): string | Promise<string>;
  /** The key that signs now, or null. */
  publicKey(): PublicJwk | null;
  /** Looks at the key file again, at once. */
  reload(): void;
  /** Calls `listener` with each key that signs from then on, before it does; at once when there is one. */
  onKey(listener: (key: PublicJwk) => void): void;
  close(): void;
}

const RELOAD_MS = 10_000;
const SELF_TEST_MS = 60_000;

const privateJwk = z.looseObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  d: z.string(),
  x: z.string(),
  kid: z.string().min(1).max(128),
});

interface LoadedKey {
  text: string;
  key: KeyObject;
  head: string;
  publicJwk: PublicJwk;
}

/** The signer of this process; it stops when the context closes. */
export const signerOf = perContext((ctx): Signer => {
  const signer = createSigner(ctx.config, ctx.log);
  ctx.onClose(() => signer.close());
  return signer;
});

/** A signer with the key of `SIGNING_KEY_FILE` (read again every 10 s) or `SIGNING_KEY`. Never throws: without a key nothing is signed. */
export function createSigner(config: Config, log: Log): Signer {
  const file = config.signingKeyFile;
  const listeners: ((key: PublicJwk) => void)[] = [];
  let loaded: LoadedKey | null = null;

  function reload(): void {
    try {
      const text = file ? readFileSync(file, 'utf8') : (config.signingKey ?? '');
      if (text === loaded?.text) return;
      loaded = loadKey(text);
      for (const listener of listeners) listener(loaded.publicJwk);
    } catch (error) {
      if (loaded !== null) log.error({ err: error }, 'the signing key is gone; nothing is signed');
      loaded = null;
    }
  }

  function testItself(): void {
    if (loaded === null || signsRightly(loaded)) return;
    log.error({ kid: loaded.publicJwk.kid }, 'the signing key does not verify; nothing is signed');
    loaded = null;
  }

  reload();
  testItself();
  const reloading = setInterval(reload, RELOAD_MS).unref();
  const testing = setInterval(testItself, SELF_TEST_MS).unref();
  return {
    sign: (claims) => {
      if (loaded === null) throw new Error('There is no signing key');
      return signJws(loaded, JSON.stringify(claims));
    },
    publicKey: () => loaded?.publicJwk ?? null,
    reload: () => {
      reload();
      testItself();
    },
    onKey: (listener) => {
      listeners.push(listener);
      if (loaded) listener(loaded.publicJwk);
    },
    close: () => {
      clearInterval(reloading);
      clearInterval(testing);
    },
  };
}

function loadKey(text: string): LoadedKey {
  const jwk = privateJwk.parse(JSON.parse(text));
  const key = createPrivateKey({ key: { kty: jwk.kty, crv: jwk.crv, d: jwk.d, x: jwk.x }, format: 'jwk' });
  const header = { alg: 'Ed25519', typ: 'usage-receipt+jwt', kid: jwk.kid };
  const publicJwk = {
    kty: jwk.kty,
    crv: jwk.crv,
    x: jwk.x,
    kid: jwk.kid,
    alg: 'Ed25519',
    use: 'sig',
  } as const;
  return { text, key, head: Buffer.from(JSON.stringify(header)).toString('base64url'), publicJwk };
}

function signJws({ head, key }: LoadedKey, payload: string): string {
  const input = `${head}.${Buffer.from(payload).toString('base64url')}`;
  return `${input}.${signBytes(null, Buffer.from(input), key).toString('base64url')}`;
}

/** The private half belongs to the public half that receipts are checked with. */
function signsRightly({ key, publicJwk }: LoadedKey): boolean {
  const probe = Buffer.from('usage-governor self-test');
  const publicKey = createPublicKey({ key: { ...publicJwk }, format: 'jwk' });
  return verifyBytes(null, probe, publicKey, signBytes(null, probe, key));
}
