import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../../packages/stack/files.ts';
import { readPages } from './pages.ts';
import { renderGuide } from './render.ts';

const DIST = join(ROOT, 'packages/dashboard/dist');

/** Writes the guide beside the dashboard's files; the api serves it below `/guide`. */
export function writeGuide(): void {
  const { files, parts } = renderGuide(readPages());
  for (const [name, html] of files) {
    const file = join(DIST, 'guide', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, html);
  }
  // A module, which the policy lets a page load as its scripts.
  writeFileSync(join(DIST, 'guide-search.js'), `export default ${JSON.stringify(parts)};\n`);
}
