import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { ROOT } from '../stack/files.ts';

/** Bytes of JavaScript and CSS, gzipped, that a first visit may load: of any page without charts, and of Overview. */
const BUDGETS = { 'before charts': 260_000, Overview: 400_000 } as const;

const DIST = join(ROOT, 'api/dashboard/dist');
const chunk = z.object({
  file: z.string(),
  css: z.array(z.string()).default([]),
  imports: z.array(z.string()).default([]),
});
const manifest = z
  .record(z.string(), chunk)
  .parse(JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')));

const measured = {
  'before charts': weigh(['index.html']),
  Overview: weigh(['index.html', 'pages/overview.tsx', 'parts/charts.tsx']),
};
for (const [name, bytes] of Object.entries(measured)) console.log(`${name}: ${kilobytes(bytes)} kB gzip`);
const tooLarge = Object.entries(BUDGETS).filter(
  ([name, most]) => measured[name as keyof typeof BUDGETS] > most,
);
for (const [name, most] of tooLarge) console.error(`${name} may be ${kilobytes(most)} kB at most.`);
process.exitCode = tooLarge.length === 0 ? 0 : 1;

/** Bytes of these entries and of all that they import at once, each file counted once. */
function weigh(entries: readonly string[]): number {
  const files = new Set<string>();
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const found = manifest[name];
    if (!found) throw new Error(`The build has no chunk ${name}.`);
    for (const file of [found.file, ...found.css]) files.add(file);
    for (const imported of found.imports) visit(imported);
  };
  for (const entry of entries) visit(entry);
  return [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(DIST, file))).length, 0);
}

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(0);
}
