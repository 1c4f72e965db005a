import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ROOT, readJson } from '../stack/files.ts';

/** The folder of the records. It is not committed. */
export const RECORDS = 'coverage/tests';
/** The folder of what child processes report, a folder for each test file. */
const CHILDREN = 'coverage/children';

const record = z.strictObject({
  /** How long the tests of the file took. Seconds. */
  seconds: z.number(),
  /** By file of the product: a hash of its text, and the starts and ends of the parts of functions that ran, as offsets in it. */
  files: z.record(z.string(), z.strictObject({ hash: z.string(), ran: z.array(z.number()) })),
});

/** The code that the tests of one file ran. */
export type CoverageRecord = z.infer<typeof record>;

export type ScriptCoverage = Pick<Profiler.ScriptCoverage, 'url' | 'functions'>;

/** The folder into which the child processes of a test file report (`NODE_V8_COVERAGE`). */
export function childrenOf(test: string): string {
  return join(ROOT, CHILDREN, test);
}

/** Writes the record of a test file, from its own coverage and from that of its child processes, which is deleted. */
export function writeRecord(test: string, seconds: number, scripts: readonly ScriptCoverage[]): void {
  const children = childrenOf(test);
  const reports = existsSync(children) ? globSync('*.json', { cwd: children }) : [];
  const ran = new Map<string, [number, number][]>();
  const add = ({ url, functions }: ScriptCoverage) => {
    const file = productFile(url);
    if (file) ran.set(file, [...(ran.get(file) ?? []), ...rangesThatRan(functions)]);
  };
  scripts.forEach(add);
  // One at a time: each has every script of its process.
  for (const report of reports) readReport(join(children, report)).forEach(add);
  rmSync(children, { recursive: true, force: true });
  const files = [...ran].map(([file, ranges]) => [file, { hash: hashOf(file), ran: merge(ranges).flat() }]);
  const path = join(ROOT, RECORDS, `${test}.json`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ seconds, files: Object.fromEntries(files) }));
}

/** Reads every record, by test file. */
export function readRecords(): Map<string, CoverageRecord> {
  const paths = globSync('**/*.json', { cwd: join(ROOT, RECORDS) });
  return new Map(
    paths.map((path) => [path.slice(0, -'.json'.length), record.parse(readJson(join(ROOT, RECORDS, path)))]),
  );
}

/** Returns whether a record has this part of a file. Where the file has changed since, any part of it counts. */
export function hasRun({ files }: CoverageRecord, file: string, start: number): boolean {
  const seen = files[file];
  if (!seen || seen.ran.length === 0) return false;
  if (seen.hash !== hashOf(file)) return true;
  return seen.ran.some((from, i) => i % 2 === 0 && from <= start && start < (seen.ran[i + 1] ?? 0));
}

/** The amount of code below a path that the tests of a file ran, in characters. */
export function sizeOf({ files }: CoverageRecord, below: string): number {
  return Object.entries(files)
    .flatMap(([file, { ran }]) => (file.startsWith(below) ? ran : []))
    .reduce((sum, offset, i) => sum + (i % 2 === 0 ? -offset : offset), 0);
}

const hashes = new Map<string, string>();

function hashOf(file: string): string {
  const hash =
    hashes.get(file) ??
    createHash('sha1')
      .update(readFileSync(join(ROOT, file)))
      .digest('hex')
      .slice(0, 12);
  hashes.set(file, hash);
  return hash;
}

function productFile(url: string): string | null {
  if (!url.startsWith('file://')) return null;
  const file = relative(ROOT, fileURLToPath(url.replace(/\?.*/, '')));
  return /^(api|workers|shared|scripts|packages\/(governor|dashboard))\//.test(file) &&
    existsSync(join(ROOT, file))
    ? file
    : null;
}

/** A process that is killed while it writes leaves a part. */
function readReport(path: string): ScriptCoverage[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).result;
  } catch {
    return [];
  }
}

/**
 * The parts that ran, of any function but the module's own: loading a file is no test of it. V8 nests the ranges of functions
 * and of their blocks, and the innermost one counts.
 */
export function rangesThatRan(functions: ScriptCoverage['functions']): [number, number][] {
  const ranges = functions
    .flatMap(({ ranges: own }) =>
      own.map((range) => ({ ...range, runs: range.startOffset > 0 && range.count > 0 })),
    )
    .toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const edges = [
    ...new Set(ranges.flatMap(({ startOffset, endOffset }) => [startOffset, endOffset])),
  ].toSorted((a, b) => a - b);
  const ran: [number, number][] = [];
  const open: typeof ranges = [];
  let next = 0;
  for (const [i, edge] of edges.entries()) {
    while ((open.at(-1)?.endOffset ?? Number.POSITIVE_INFINITY) <= edge) open.pop();
    for (let range = ranges[next]; range?.startOffset === edge; range = ranges[next]) {
      open.push(range);
      next += 1;
    }
    if (open.at(-1)?.runs) ran.push([edge, edges[i + 1] ?? edge]);
  }
  return ran;
}

function merge(ranges: readonly [number, number][]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** The offset at which each line of a text begins. */
export function linesOf(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}
