import { cpSync, existsSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../scripts/stack/files.ts';

/** Folders that a copy shares with the tree: they are large, and nothing of them is changed. */
const SHARED = ['node_modules', '.stores'];

/** A copy of the tree in the system's temporary folder, for faults to be planted in. Returns its path. */
export function copyTree(): string {
  const tree = mkdtempSync(join(tmpdir(), 'usage-governor-mutation-'));
  for (const name of readdirSync(ROOT)) {
    if (SHARED.includes(name) || name.startsWith('.data') || name === '.git') continue;
    cpSync(join(ROOT, name), join(tree, name), { recursive: true });
  }
  for (const name of SHARED) {
    if (existsSync(join(ROOT, name))) symlinkSync(join(ROOT, name), join(tree, name));
  }
  return tree;
}
