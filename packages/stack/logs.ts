import { closeSync, openSync, readFileSync } from 'node:fs';

/** Runs `use` with a descriptor that appends to the file (0600), for a child that outlives the descriptor. */
export function withLog<T>(file: string, use: (descriptor: number) => T): T {
  const descriptor = openSync(file, 'a', 0o600);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The last lines of a log, indented, for a message that says why something ended. */
export function readLogEnd(file: string): string {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines
    .slice(-12)
    .map((line) => `  ${line}`)
    .join('\n');
}
