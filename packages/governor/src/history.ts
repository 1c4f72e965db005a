import type { PostedSignal } from '../../../shared/adapters/posted.ts';

/** One call as a line of history tells it. */
export interface FoundCall {
  /** What all lines about one call share, also those that were copied into another file. */
  key: string;
  /** Of lines with one key the largest is kept; of equal ones the first. */
  rank: number;
  /** Whether it has the id under which OpenTelemetry tells it. Else both would count. */
  sharesId: boolean;
  signal: PostedSignal;
  /** The folder in which the tool ran, if it says so; the project is named after its repository. */
  cwd?: string | undefined;
  /** The file of the line that was kept. */
  file?: string;
}

/** Something that history says: a call, a key whose calls are told elsewhere, or a line left out and why. */
export type Found = { call: FoundCall } | { covered: string } | { leftOut: string };

/** Reads one file, line by line. What comes late (a file's last line may change what the first meant) comes from `end`. */
export interface FileReader {
  line(text: string): Found[];
  end(): Found[];
}

/** A tool whose history can be read. */
export interface Tool {
  name: string;
  adapter: string;
  /** Folders in which it keeps its history. */
  homes(home: string, env: Readonly<Record<string, string | undefined>>): string[];
  /** Whether a file is history, by its path below a home with `/` between its parts. */
  isHistory(path: string): boolean;
  /** Whether a file is one JSON document. Else each line is one. */
  isWhole?: boolean;
  open(path: string): FileReader;
}

/** A reader that needs nothing but the line. */
export function eachLine(read: (line: string) => Found[]): FileReader {
  return { line: read, end: () => [] };
}

export type Json = Readonly<Record<string, unknown>>;

/** The object in a line, or null for what is none. Editors and shells of Windows put U+FEFF before the first one. */
export function parseObject(line: string): Json | null {
  try {
    return objectOf(JSON.parse(line.replace(/^\uFEFF/, ''))) ?? null;
  } catch {
    return null;
  }
}

export function objectOf(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A count ≥ 0; what is missing or none is 0. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** ISO 8601 in UTC of a time as text or epoch milliseconds; undefined for none. */
export function timeOf(value: unknown): string | undefined {
  const ms = typeof value === 'number' ? value : Date.parse(textOf(value) ?? '');
  return ms > 0 && ms <= 8.64e15 ? new Date(ms).toISOString() : undefined;
}
