import { adaptRecord, KEY_RULES } from './adapt.ts';
import { parseOtlpJson, pickMetricNames, readJson } from './otlp/json.ts';
import { metricNames, walkProtobuf } from './otlp/protobuf.ts';
import { type OtlpKind, type OtlpRecord, UnreadableOtlp, WRONG_ROUTE } from './otlp/record.ts';
import type { PostedSignal } from './posted.ts';

export type OtlpEncoding = 'json' | 'protobuf';

/** What a request exports. Metrics are read for a warning and not kept. */
export type ExportKind = OtlpKind | 'metrics';

/** What a request holds for us. `user_id` is still what each tool claims. */
export interface OtlpReading {
  records: number;
  /** Records that an adapter recognized, whether they count or not. */
  known: number;
  signals: PostedSignal[];
  rejected: number;
  /** Why, once each, at most a few. */
  reasons: string[];
  /** Whether there are metrics of Claude Code. */
  hasClaudeCodeMetrics: boolean;
}

/** Reasons that an answer tells at most. */
const MOST_REASONS = 5;

/** Decodes a request and adapts its records. Throws `UnreadableOtlp`: then nothing of it counts. */
export function readOtlp(body: Uint8Array, kind: ExportKind, encoding: OtlpEncoding): OtlpReading {
  const reading: OtlpReading = {
    records: 0,
    known: 0,
    signals: [],
    rejected: 0,
    reasons: [],
    hasClaudeCodeMetrics: false,
  };
  if (kind === 'metrics') return { ...reading, hasClaudeCodeMetrics: areOfClaudeCode(body, encoding) };
  let withIds = 0;
  for (const record of recordsOf(body, kind, encoding)) {
    if (record.traceId !== '' && record.spanId !== '') withIds += 1;
    addRecord(reading, record);
  }
  // Log records read as spans when they have no field that a span has otherwise.
  if (kind === 'traces' && reading.records > 0 && withIds === 0) throw new UnreadableOtlp(WRONG_ROUTE.traces);
  return reading;
}

function recordsOf(body: Uint8Array, kind: OtlpKind, encoding: OtlpEncoding): Iterable<OtlpRecord> {
  return encoding === 'protobuf' ? walkProtobuf(body, kind, KEY_RULES) : readJson(body, kind, KEY_RULES);
}

function addRecord(reading: OtlpReading, record: OtlpRecord): void {
  const { signals, isKnown, rejected } = adaptRecord(record);
  reading.records += 1;
  if (isKnown) reading.known += 1;
  reading.signals.push(...signals);
  if (rejected === undefined) return;
  reading.rejected += 1;
  if (reading.reasons.length < MOST_REASONS && !reading.reasons.includes(rejected))
    reading.reasons.push(rejected);
}

function areOfClaudeCode(body: Uint8Array, encoding: OtlpEncoding): boolean {
  const names = encoding === 'protobuf' ? metricNames(body) : pickMetricNames(parseOtlpJson(body));
  return names.some((name) => name.startsWith('claude_code.'));
}
