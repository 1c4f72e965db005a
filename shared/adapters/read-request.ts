import { adaptRecord, KEY_RULES } from './adapt.ts';
import { countOnce, type SpanSignal } from './count-once.ts';
import { readJson, readMetricNames } from './otlp/json.ts';
import { walkMetricNames, walkProtobuf } from './otlp/protobuf.ts';
import { type OtlpKind, type OtlpRecord, UnreadableOtlp, WRONG_ROUTE } from './otlp/record.ts';
import type { PostedSignal } from './posted.ts';

export type OtlpEncoding = 'json' | 'protobuf';

/** What a request exports. Metrics are read for a warning and not kept. */
export type ExportKind = OtlpKind | 'metrics';

/** What a request holds beside signals. */
export interface OtlpSummary {
  records: number;
  /** Records that an adapter recognized, whether they count or not. */
  known: number;
  rejected: number;
  /** Why, once each, at most a few. */
  reasons: string[];
  /** Whether there are metrics of Claude Code. */
  hasClaudeCodeMetrics: boolean;
}

/** Spans of one request that are compared with each other. Collectors send 8,192 spans of any sort at most by default. */
const MOST_CALLS = 20_000;
/** Reasons that an answer tells at most. */
const MOST_REASONS = 5;

/** What is known of a request of which nothing was read yet. */
export function emptySummary(): OtlpSummary {
  return { records: 0, known: 0, rejected: 0, reasons: [], hasClaudeCodeMetrics: false };
}

/**
 * Decodes a request and yields its signals, a few at a time, whose `user_id` is still what the tool claims. Counts in
 * `summary`. Throws `UnreadableOtlp`, possibly after some records: then nothing of it counts.
 */
export function* walkOtlp(
  body: Uint8Array,
  kind: ExportKind,
  encoding: OtlpEncoding,
  summary: OtlpSummary,
): Generator<readonly PostedSignal[]> {
  if (kind === 'metrics') {
    summary.hasClaudeCodeMetrics = areOfClaudeCode(body, encoding);
    return;
  }
  if (kind === 'logs') {
    for (const record of recordsOf(body, kind, encoding)) yield addRecord(summary, record);
    return;
  }
  const spans: SpanSignal[] = [];
  let withIds = 0;
  for (const record of recordsOf(body, kind, encoding)) {
    const { scope, traceId, spanId, parentSpanId, startMs, durationMs } = record;
    if (traceId !== '' && spanId !== '') withIds += 1;
    for (const signal of addRecord(summary, record))
      spans.push({ scope, traceId, spanId, parentSpanId, startMs, durationMs, signal });
    if (spans.length > MOST_CALLS)
      throw new UnreadableOtlp(
        `The body holds more than ${MOST_CALLS} spans that count. Send smaller batches.`,
      );
    // Nothing yet: a span may come before the one that it is in, or after it.
    yield [];
  }
  // Log records read as spans when they have no field that a span has otherwise.
  if (summary.records > 0 && withIds === 0) throw new UnreadableOtlp(WRONG_ROUTE.traces);
  for (const signal of countOnce(spans)) yield [signal];
}

function recordsOf(body: Uint8Array, kind: OtlpKind, encoding: OtlpEncoding): Iterable<OtlpRecord> {
  return encoding === 'json' ? readJson(body, kind, KEY_RULES) : walkProtobuf(body, kind, KEY_RULES);
}

/** Counts a record, and returns its signals. */
function addRecord(summary: OtlpSummary, record: OtlpRecord): readonly PostedSignal[] {
  const { signals, isKnown, rejected } = adaptRecord(record);
  summary.records += 1;
  if (isKnown) summary.known += 1;
  if (rejected === undefined) return signals;
  summary.rejected += 1;
  if (summary.reasons.length < MOST_REASONS && !summary.reasons.includes(rejected))
    summary.reasons.push(rejected);
  return signals;
}

function areOfClaudeCode(body: Uint8Array, encoding: OtlpEncoding): boolean {
  let isSeen = false;
  const names = encoding === 'json' ? readMetricNames(body, KEY_RULES) : walkMetricNames(body);
  for (const name of names) isSeen ||= name.startsWith('claude_code.');
  return isSeen;
}
