import { isoTime } from '../../shared/platform/basics/clock.ts';

/** One call of a trace. `row` counts the calls from 1, in the order of the file. */
export interface TraceCall {
  readonly row: number;
  /** Epoch milliseconds. */
  readonly atMs: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

const AZURE_HEADER = 'TIMESTAMP,ContextTokens,GeneratedTokens';
const AZURE_ROW = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d+))?,(\d{1,15}),(\d{1,15})$/;

/**
 * Reads Azure's LLM inference trace (`azure-llm`): times in UTC, cut to whole milliseconds. Line ends and blank
 * lines may be of any kind. Throws with the line number at the first row that is not a call.
 */
export function parseAzureTrace(csv: string): TraceCall[] {
  const calls: TraceCall[] = [];
  let headerSeen = false;
  for (const [index, rawLine] of csv
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const line = rawLine.trim();
    if (line === '') continue;
    if (headerSeen) {
      calls.push(parseAzureRow(line, index + 1, calls.length + 1));
    } else if (line === AZURE_HEADER) {
      headerSeen = true;
    } else {
      throw new Error(`line ${index + 1}: the header must be "${AZURE_HEADER}", not "${excerpt(line)}"`);
    }
  }
  if (calls.length === 0) throw new Error('the trace holds no calls');
  return calls;
}

function parseAzureRow(line: string, lineNumber: number, row: number): TraceCall {
  const [, day, time, fraction = '', tokensIn, tokensOut] = AZURE_ROW.exec(line) ?? [];
  const utc = `${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const atMs = Date.parse(utc);
  // Date.parse rolls 30 February over to March; a time that does not come back as it was is none.
  if (Number.isNaN(atMs) || isoTime(atMs) !== utc) {
    throw new Error(`line ${lineNumber}: expected "time,tokens,tokens", found "${excerpt(line)}"`);
  }
  return { row, atMs, tokensIn: Number(tokensIn), tokensOut: Number(tokensOut) };
}

/** The calls in the order of their times (equal ones as in the file), moved so that the last is at `endMs`. */
export function shiftToEndAt(calls: readonly TraceCall[], endMs: number): TraceCall[] {
  const ordered = calls.toSorted((a, b) => a.atMs - b.atMs);
  const shiftMs = endMs - (ordered.at(-1)?.atMs ?? endMs);
  return ordered.map((call) => ({ ...call, atMs: call.atMs + shiftMs }));
}

const DEALING_SEED = 0x5eed_2023;

/**
 * The user of a row: the same for the same `row` and `users`, evenly spread, and without a pattern in time (so
 * that a burst of the trace falls on several users, and a user has bursts too). Murmur3's 32-bit finalizer.
 */
export function dealUser(row: number, users: number): string {
  let hash = (row ^ DEALING_SEED) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  hash = (hash ^ (hash >>> 16)) >>> 0;
  return `replay-user-${(hash % users) + 1}`;
}

function excerpt(line: string): string {
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
