import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../stack/files.ts';

/** Folders that a copy shares with the tree: they are large, and nothing of them is changed. */
const SHARED = ['node_modules', '.stores'];
/** Nothing of them is needed for a test. */
const LEFT_OUT = ['.git', 'coverage'];

/** A copy of the tree in the system's temporary folder, for faults to be planted in. Returns its path. */
export function copyTree(): string {
  const tree = mkdtempSync(join(tmpdir(), 'usage-governor-mutation-'));
  // Some tests run a command as nobody.
  chmodSync(tree, 0o755);
  for (const name of readdirSync(ROOT)) {
    if ([...SHARED, ...LEFT_OUT].includes(name) || name.startsWith('.data')) continue;
    cpSync(join(ROOT, name), join(tree, name), { recursive: true, preserveTimestamps: true });
  }
  for (const name of SHARED) {
    if (existsSync(join(ROOT, name))) symlinkSync(join(ROOT, name), join(tree, name));
  }
  return tree;
}
