import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One planted fault: a text that stands once in a file, what stands there instead, and the tests that must notice. */
export interface Fault {
  /** The break, in words. */
  what: string;
  file: string;
  text: string;
  replacement: string;
  /** Files and folders of tests that vitest runs. */
  tests: readonly string[];
  /** Why no test can notice it: something else guards the same. It is run, and not counted. */
  equivalent?: string;
}

/** The faults of one file, with the tests that must notice those that name no others. */
export function faultsIn(
  file: string,
  tests: readonly string[],
  faults: readonly (Omit<Fault, 'file' | 'tests'> & Partial<Pick<Fault, 'tests'>>)[],
): Fault[] {
  return faults.map((fault) => ({ tests, ...fault, file }));
}

/** The file with the fault in it. Throws when the text does not stand in it exactly once. */
export function plant(root: string, { what, file, text, replacement }: Fault): string {
  const whole = readFileSync(join(root, file), 'utf8');
  const count = whole.split(text).length - 1;
  if (count !== 1) throw new Error(`"${what}": its text stands ${count} times in ${file}, not once`);
  return whole.replace(text, () => replacement);
}
