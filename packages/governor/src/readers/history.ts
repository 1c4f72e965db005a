import { clip } from '../../../../shared/core/calls/adapters/fields.ts';
import type { PostedSignal } from '../../../../shared/core/calls/adapters/posted.ts';
import { type PricedFields, pricedFieldsOf } from '../../../../shared/core/pricing/priced-fields.ts';

/** One call as a line of history has it. */
export interface FoundCall {
  /** Shared by all lines about one call, also those that were copied into another file. */
  key: string;
  /** The line with the highest rank per key is kept; the first of equal ones. */
  rank: number;
  /** True when it has the id that OpenTelemetry gives it. Else both would count. */
  sharesId: boolean;
  signal: PostedSignal;
  /** The folder in which the tool ran, if it says so; the project is named after its repository. */
  cwd?: string | undefined;
  /** The branch that was checked out; null: a commit without one; undefined: the tool does not say. */
  branch?: string | null | undefined;
  /** The address of the repository, if the tool says it. */
  repositoryUrl?: string | undefined;
  /** The file of the line that was kept. */
  file?: string;
}

/** A call, a key whose calls are found elsewhere, or why a line is left out. */
export type Found = { call: FoundCall } | { covered: string } | { leftOut: string };

/** A line that cannot be distinguished from another one. */
export const WITHOUT_ID: Found = { leftOut: 'without a time or an id' };

/** A line that is no JSON object, though it has usage in it. */
export const DAMAGED: Found = { leftOut: 'damaged' };

/** A line about a call that another line reports too. */
export const REPEATED = 'told by another line';

/** Reads one file, line by line. `end` returns the calls that depend on later lines. */
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
  /** True when a file is history, by its path below a home with `/` between its parts. */
  isHistory(path: string): boolean;
  /** True when a file is one JSON document. Else each line is one. */
  isWhole?(path: string): boolean;
  open(path: string): FileReader;
}

/** A reader of lines that do not depend on each other. */
export function eachLine(read: (line: string) => Found[]): FileReader {
  return { line: read, end: () => [] };
}

export type Json = Readonly<Record<string, unknown>>;

/** The object in a line, or null when there is none. Editors and shells of Windows put U+FEFF before the first one. */
export function parseObject(line: string): Json | null {
  try {
    return asObject(JSON.parse(line.replace(/^\uFEFF/, ''))) ?? null;
  } catch {
    return null;
  }
}

export function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * A count ≥ 0 as a number or as digits; 0 when it is missing. NaN for anything else that is there: sums of it are NaN too, and
 * `signalOf` makes it a call that is not counted.
 */
export function asCount(value: unknown): number {
  if (value === undefined) return 0;
  const count = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : Number.NaN;
}

/** The rank of a line by its output, which grows from line to line of one answer. */
export function rankBy(output: number): number {
  return Number.isNaN(output) ? 0 : output;
}

/** ISO 8601 in UTC of a time as text or epoch milliseconds; undefined for none. */
export function asTime(value: unknown): string | undefined {
  const ms = typeof value === 'number' ? value : Date.parse(asText(value) ?? '');
  return ms > 0 && ms <= 8.64e15 ? new Date(ms).toISOString() : undefined;
}

/** A call in history. Tokens as signals have them: the input includes cached tokens. NaN: what the line says is no count. */
export interface HistoryCall {
  id: string;
  ts: string;
  adapter: string;
  model?: string | undefined;
  provider?: string | undefined;
  sessionId?: string | undefined;
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
  /** NaN: what the line says is no count. */
  priced?: PricedFields;
  costUsd?: number | undefined;
  /** Why it failed; undefined for a call that succeeded. */
  errorCode?: string | undefined;
  metadata?: Record<string, string>;
}

/** The signal of a call; `source: import` distinguishes it from live signals. */
export function signalOf(call: HistoryCall): PostedSignal {
  const { id, ts, adapter, model, provider, sessionId, costUsd, errorCode } = call;
  return {
    id,
    ts,
    adapter,
    ...(model === undefined ? {} : { model: clip(model, 256) }),
    ...(provider === undefined ? {} : { provider: clip(provider, 128) }),
    ...tokensOf(call),
    ...(costUsd ? { cost_usd: costUsd } : {}),
    ...(errorCode === undefined ? {} : { error: { code: clip(errorCode, 128) } }),
    metadata: {
      source: 'import',
      ...(sessionId === undefined ? {} : { client_session_id: clip(sessionId, 256) }),
      ...call.metadata,
    },
  };
}

function tokensOf({ input, output, cacheRead = 0, cacheWrite = 0, priced = {} }: HistoryCall) {
  const { cache_write_1h_tokens: longCache = 0, tool_uses = {} } = priced;
  const counts = [input, cacheRead, cacheWrite, longCache, ...Object.values(tool_uses)];
  const isCounted = counts.every((count) => !Number.isNaN(count));
  const { service_tier, region } = priced;
  return {
    ...pricedFieldsOf(isCounted ? priced : { service_tier, region }),
    tokens_in: isCounted ? input : null,
    tokens_out: Number.isNaN(output) ? null : output,
    cache_read_tokens: isCounted ? cacheRead : 0,
    cache_write_tokens: isCounted ? cacheWrite : 0,
  };
}
