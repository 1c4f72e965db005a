import { adaptRecord, KEY_RULES } from './adapt.ts';
import { countOnce, type SpanSignal } from './count-once.ts';
import { type OtlpBody, readRecords } from './otlp/read-records.ts';
import { type OtlpRecord, UnreadableOtlp, WRONG_ROUTE } from './otlp/record.ts';
import type { PostedSignal } from './posted.ts';

/** Counts of a request, beside its signals. */
export interface OtlpSummary {
  records: number;
  /** Records that an adapter recognized, counted or not. */
  known: number;
  rejected: number;
  /** Why, once each, at most a few. */
  reasons: string[];
  /** Reservations of calls that were not made. */
  releases: string[];
  hasClaudeCodeMetrics: boolean;
}

/** Spans of one request that are compared with each other. Collectors send 8,192 spans of any sort at most by default. */
const MOST_CALLS = 20_000;
/** Reasons that an answer gives at most. */
const MOST_REASONS = 5;

export function emptySummary(): OtlpSummary {
  return { records: 0, known: 0, rejected: 0, reasons: [], releases: [], hasClaudeCodeMetrics: false };
}

/**
 * Decodes a request and yields its signals, a few at a time, whose `user_id` is still what the tool claims. Counts in
 * `summary`. Metrics give none. Throws `UnreadableOtlp`, possibly after some records: then nothing of it counts.
 */
export function* walkOtlp(request: OtlpBody, summary: OtlpSummary): Generator<readonly PostedSignal[]> {
  const records = readRecords(request, KEY_RULES);
  if (request.kind === 'metrics') {
    for (const { names } of records)
      summary.hasClaudeCodeMetrics ||= names.some((name) => name.startsWith('claude_code.'));
    return;
  }
  if (request.kind === 'logs') {
    for (const record of records) yield addRecord(summary, record);
    return;
  }
  const spans: SpanSignal[] = [];
  let withIds = 0;
  for (const record of records) {
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

function addRecord(summary: OtlpSummary, record: OtlpRecord): readonly PostedSignal[] {
  const { signals, isKnown, rejected, releases } = adaptRecord(record);
  summary.records += 1;
  if (isKnown) summary.known += 1;
  if (releases !== undefined) summary.releases.push(releases);
  if (rejected === undefined) return signals;
  summary.rejected += 1;
  if (summary.reasons.length < MOST_REASONS && !summary.reasons.includes(rejected))
    summary.reasons.push(rejected);
  return signals;
}
