import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../stack/files.ts';
import { linesOf } from './coverage.ts';
import { applyEdit, editsOf, isProgram, type NamedEdit } from './operators.ts';

/** Where faults are made. */
const PRODUCT = [
  'api',
  'workers',
  'shared',
  'scripts/governor',
  'packages/dashboard',
  'packages/governor/src',
];
/** Declarations, what is built, and what makes the API's documents. */
const NOT_PRODUCT = /\.d\.ts$|\/dist\/|\/vite\.config|^api\/docs\//;

/** One fault made by an operator. */
export interface ChanceFault extends NamedEdit {
  /** Names it in this tree: its file, line, column and operator. */
  id: string;
  file: string;
  line: number;
}

/** The files of the product below these paths, all of them without a path. */
export function productFiles(paths: readonly string[] = []): string[] {
  const files = globSync(
    PRODUCT.map((folder) => `${folder}/**/*.{ts,tsx,js}`),
    { cwd: ROOT },
  );
  const isAsked = (file: string) =>
    paths.length === 0 || paths.some((path) => `${file}/`.startsWith(`${path.replace(/\/$/, '')}/`));
  return files.filter((file) => !NOT_PRODUCT.test(file) && isAsked(file)).toSorted();
}

/** Every fault of these files, in the order of the text. */
export function faultsOf(files: readonly string[]): ChanceFault[] {
  return files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const lines = linesOf(text);
    const known = new Set<string>();
    return editsOf(file, text).flatMap((edit) => {
      const line = lines.findLastIndex((start) => start <= edit.start);
      const id = `${file}:${line + 1}:${edit.start - (lines[line] ?? 0) + 1}:${edit.operator}`;
      if (known.has(id)) return [];
      known.add(id);
      return [{ ...edit, id, file, line: line + 1 }];
    });
  });
}

/**
 * As many faults as asked, spread over the lines that can have one: the lines are cut into as many parts, and each part gives
 * a line, a kind of fault that fits there, and one of that kind. The same seed gives the same faults of one tree.
 */
export function draw(faults: readonly ChanceFault[], seed: number, count: number): ChanceFault[] {
  const random = randomFrom(seed);
  const lines = [...Map.groupBy(faults, ({ file, line }) => `${file}:${line}`).values()];
  const parts = Math.min(count, lines.length);
  return Array.from({ length: parts }, (_, part) => {
    const from = Math.floor((part * lines.length) / parts);
    const to = Math.floor(((part + 1) * lines.length) / parts);
    // One that is no program gives way to another.
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const kinds = Map.groupBy(pick(random, lines.slice(from, to)), ({ operator }) => operator);
      const fault = pick(random, pick(random, [...kinds.values()]));
      if (isProgram(fault.file, planted(fault))) return [fault];
    }
    return [];
  }).flat();
}

/** The text of its file with a fault in it. */
export function planted(fault: ChanceFault, tree: string = ROOT): string {
  return applyEdit(readFileSync(join(tree, fault.file), 'utf8'), fault);
}

/** The lines of a fault as they are, and with it. */
export function showFault(fault: ChanceFault, tree: string = ROOT): string {
  const text = readFileSync(join(tree, fault.file), 'utf8');
  const start = text.lastIndexOf('\n', fault.start) + 1;
  const end = text.indexOf('\n', fault.end);
  const tail = text.length - (end === -1 ? text.length : end);
  const after = applyEdit(text, fault);
  const show = (sign: string, part: string) => part.split('\n').map((line) => `    ${sign} ${line.trim()}`);
  return [
    ...show('-', text.slice(start, text.length - tail)),
    ...show('+', after.slice(start, after.length - tail)),
  ].join('\n');
}

function pick<T>(random: () => number, from: readonly T[]): T {
  const chosen = from[Math.floor(random() * from.length)];
  if (chosen === undefined) throw new Error('There is nothing to pick from.');
  return chosen;
}

/** Mulberry32: the same numbers from 0 to 1 for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
