import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../packages/stack/files.ts';

/** The version of this program. */
export function versionOf(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  return version;
}
