import { createPrivateKey, type KeyObject, sign as signBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Config } from '../../../platform/basics/config.ts';
import { every } from '../../../platform/basics/every.ts';
import type { Log } from '../../../platform/basics/log.ts';
import type { Context } from '../../../platform/context/context.ts';
import { perContext } from '../../../platform/context/per-context.ts';

/** A public key as RFC 8037 has it. */
export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
  alg: 'Ed25519';
  use: 'sig';
}

const RELOAD_MS = 10_000;

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
export const signerOf = perContext((ctx) => {
  const signer = createSigner(ctx.config, ctx.log);
  ctx.onClose(() => signer.close());
  return signer;
});

/** The warning of an api's `/readyz` while nothing can be signed. */
export async function warnOfSigningKey(ctx: Context): Promise<string | null> {
  return signerOf(ctx).publicKey()
    ? null
    : 'No credit can be spent: there is no usable signing key (see the log).';
}

/**
 * Signs receipts with the key of `SIGNING_KEY_FILE` (read again every 10 s) or `SIGNING_KEY`; a key service could stand behind
 * it. Never throws: without a key nothing is signed.
 */
export function createSigner(config: Config, log: Log) {
  const file = config.signingKeyFile;
  const listeners: ((key: PublicJwk) => void)[] = [];
  let loaded: LoadedKey | null = null;
  let isReported = false;

  function reload(): void {
    try {
      const text = file ? readFileSync(file, 'utf8') : config.signingKey;
      if (text === undefined) throw new Error('Neither SIGNING_KEY_FILE nor SIGNING_KEY is set');
      if (text === loaded?.text) return;
      loaded = loadKey(text);
      isReported = false;
      for (const listener of listeners) listener(loaded.publicJwk);
    } catch (error) {
      if (!isReported) log.error({ err: error }, 'the signing key cannot be used; nothing is signed');
      isReported = true;
      loaded = null;
    }
  }

  const stopReloading = every(RELOAD_MS, async () => reload());
  return {
    /** Signs claims as a compact JWS: at once when the key is here. Throws when there is no usable key. */
    sign: (claims: Record<string, unknown>): string | Promise<string> => {
      if (loaded === null) throw new Error('There is no signing key');
      return signJws(loaded, JSON.stringify(claims));
    },
    /** The key that signs now, or null. */
    publicKey: () => loaded?.publicJwk ?? null,
    /** Reads the key file again, at once. */
    reload,
    /** Calls `listener` with each key that signs from then on, before it does; at once when there is one. */
    onKey: (listener: (key: PublicJwk) => void): void => {
      listeners.push(listener);
      if (loaded) listener(loaded.publicJwk);
    },
    close: () => void stopReloading(),
  };
}

/** Throws for what is no key, also for a private half that does not belong to the public one. */
function loadKey(text: string): LoadedKey {
  const jwk = privateJwk.parse(parseKey(text));
  const key = createPrivateKey({ key: { kty: jwk.kty, crv: jwk.crv, d: jwk.d, x: jwk.x }, format: 'jwk' });
  const header = { alg: 'Ed25519', typ: 'usage-receipt+jwt', kid: jwk.kid };
  const head = Buffer.from(JSON.stringify(header)).toString('base64url');
  return { text, key, head, publicJwk: jwkOf(jwk.kid, jwk.x) };
}

export function jwkOf(kid: string, x: string): PublicJwk {
  return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'Ed25519', use: 'sig' };
}

/** The message of JSON.parse would show a piece of the text. */
function parseKey(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('What SIGNING_KEY_FILE or SIGNING_KEY gives is not JSON');
  }
}

function signJws({ head, key }: LoadedKey, payload: string): string {
  const input = `${head}.${Buffer.from(payload).toString('base64url')}`;
  return `${input}.${signBytes(null, Buffer.from(input), key).toString('base64url')}`;
}
