import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writePrivateJson } from './files.ts';
import { makeSecrets, makeSigningKey, type Secrets } from './make-secrets.ts';

/**
 * The secrets of a data folder as environment variables, made once and kept (0600): a changed pepper would make every
 * API key worthless, a changed webhook key every stored secret.
 */
export function ensureSecrets(dataDir: string): Secrets & { SIGNING_KEY_FILE: string } {
  const file = join(dataDir, 'secrets.json');
  const kept = z.record(z.string(), z.string()).parse(readJson(file) ?? {});
  // A secret that an older folder lacks is made now.
  const known = { ...makeSecrets(), ...kept };
  writePrivateJson(file, known);
  return { ...known, SIGNING_KEY_FILE: ensureSigningKey(dataDir) };
}

function ensureSigningKey(dataDir: string): string {
  const file = join(dataDir, 'signing-key.json');
  if (!existsSync(file)) writePrivateJson(file, makeSigningKey());
  return file;
}
