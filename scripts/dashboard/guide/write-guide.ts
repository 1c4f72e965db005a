import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../../packages/stack/files.ts';
import { readPages } from './pages.ts';
import { renderGuide } from './render.ts';

/** Writes the guide beside the dashboard's files; the api serves it below `/guide`. */
export function writeGuide(): void {
  for (const [name, html] of renderGuide(readPages()).files) {
    const file = join(ROOT, 'packages/dashboard/dist/guide', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, html);
  }
}
