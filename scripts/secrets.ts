import { existsSync, readFileSync } from 'node:fs';
import { fillEnvFile } from '../packages/stack/env-file.ts';
import { replaceFile } from '../packages/stack/files.ts';
import { makeSecrets, makeSigningKey } from '../packages/stack/make-secrets.ts';
import { say } from '../packages/stack/progress.ts';

/**
 * `npm run secrets [FILE]`: writes every secret that is missing into .env (0600) and keeps those that are there: a new
 * pepper would make every API key worthless. It needs Node alone, no package, so it also runs in a bare container.
 */
const [file = '.env'] = process.argv.slice(2);
const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
const { text, added } = fillEnvFile(before, {
  ...makeSecrets(),
  SIGNING_KEY: JSON.stringify(makeSigningKey()),
});
if (added.length > 0) replaceFile(file, text);
say(added.length > 0 ? `${file} has new secrets: ${added.join(', ')}` : `${file} has all secrets already.`);
