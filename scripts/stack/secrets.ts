import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writePrivateJson } from './files.ts';

const secrets = z.object({
  OPERATOR_TOKEN: z.string(),
  API_KEY_PEPPER: z.string(),
  CURSOR_SECRET: z.string(),
  SESSION_SECRET: z.string().default(newSecret),
  WEBHOOK_SECRET_KEYS: z.string(),
});

/**
 * The secrets of a data folder as environment variables, made once and kept (0600): a changed pepper would make every
 * API key worthless, a changed webhook key every stored secret.
 */
export function ensureSecrets(dataDir: string): z.infer<typeof secrets> & { SIGNING_KEY_FILE: string } {
  const file = join(dataDir, 'secrets.json');
  const kept = readJson(file);
  const known = kept === null ? generateSecrets() : secrets.parse(kept);
  // Also one of an earlier version, with what that lacked.
  writePrivateJson(file, known);
  return { ...known, SIGNING_KEY_FILE: ensureSigningKey(dataDir) };
}

function generateSecrets(): z.infer<typeof secrets> {
  return {
    OPERATOR_TOKEN: `ugo_${newSecret()}`,
    API_KEY_PEPPER: newSecret(),
    CURSOR_SECRET: newSecret(),
    SESSION_SECRET: newSecret(),
    WEBHOOK_SECRET_KEYS: `${newKeyId()}:${randomBytes(32).toString('base64')}`,
  };
}

/** An Ed25519 private key as JWK (RFC 8037). */
function ensureSigningKey(dataDir: string): string {
  const file = join(dataDir, 'signing-key.json');
  if (existsSync(file)) return file;
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  writePrivateJson(file, { ...jwk, kid: newKeyId(), alg: 'Ed25519', use: 'sig' });
  return file;
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function newKeyId(): string {
  return `k${randomBytes(6).toString('hex')}`;
}
