import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { ROOT } from '../../packages/stack/files.ts';

/** Bytes of JavaScript and CSS, gzipped, that a first visit to Overview may load; any other page loads a little more. */
const BUDGET = 260_000;

const DIST = join(ROOT, 'packages/dashboard/dist');
const chunk = z.object({
  file: z.string(),
  css: z.array(z.string()).default([]),
  imports: z.array(z.string()).default([]),
});

/** Prints what a first visit loads, and returns what is over its budget, a line each. */
export function checkSize(): string[] {
  const bytes = weigh(readManifest(), ['index.html', 'main.tsx']);
  console.log(`dashboard, a first visit: ${kilobytes(bytes)} kB gzip`);
  return bytes > BUDGET ? [`A first visit may load ${kilobytes(BUDGET)} kB at most.`] : [];
}

type Manifest = Record<string, z.output<typeof chunk>>;

function readManifest(): Manifest {
  const text = readFileSync(join(DIST, '.vite/manifest.json'), 'utf8');
  return z.record(z.string(), chunk).parse(JSON.parse(text));
}

/** Bytes of these entries and of all that they import at once, each file counted once. */
function weigh(manifest: Manifest, entries: readonly string[]): number {
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
