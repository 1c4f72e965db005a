import { join } from 'node:path';
import { adaptRecord, KEY_RULES } from '../../../../shared/core/calls/adapters/adapt.ts';
import { derivedFrom, isUniqueId, nativeId } from '../../../../shared/core/calls/adapters/base.ts';
import { readRecords } from '../../../../shared/core/calls/adapters/otlp/read-records.ts';
import { type OtlpRecord, UnreadableOtlp } from '../../../../shared/core/calls/adapters/otlp/record.ts';
import {
  asCount,
  asList,
  asObject,
  asText,
  asTime,
  DAMAGED,
  eachLine,
  type FileReader,
  type Found,
  type Json,
  parseObject,
  rankBy,
  signalOf,
  type Tool,
  WITHOUT_ID,
} from './history.ts';

const ADAPTER = 'github-copilot';

/**
 * GitHub Copilot CLI's history: the events of its sessions, and the files of its OpenTelemetry exporter where one was set.
 * Both have the provider's id of each answer, as its telemetry has.
 */
export const copilot: Tool = {
  name: 'copilot',
  adapter: ADAPTER,
  homes: (home, { COPILOT_OTEL_FILE_EXPORTER_PATH: exported }) => [
    join(home, '.copilot', 'session-state'),
    join(home, '.copilot', 'otel'),
    ...(exported ? [exported] : []),
  ],
  isHistory: (path) => path.endsWith('.jsonl') && (!/(?:^|\/)session-state\//.test(path) || isSession(path)),
  open: (path) => (isSession(path) ? openSession() : eachLine(readRequest)),
};

function isSession(path: string): boolean {
  return /(?:^|\/)events\.jsonl$/.test(path);
}

function openSession(): FileReader {
  const session: Session = {};
  return { line: (line) => readEvent(session, line), end: () => [] };
}

interface Session {
  id?: string | undefined;
  cwd?: string | undefined;
}

const KINDS = ['session.start', 'session.resume', 'session.usage_record'];

/** Most events are prompts and answers: those are not even parsed. */
function readEvent(session: Session, line: string): Found[] {
  if (!KINDS.some((kind) => line.includes(`"${kind}"`)))
    return /"(?:usage|modelMetrics)":/.test(line) ? [{ leftOut: 'no call of a model' }] : [];
  const event = parseObject(line);
  if (!event) return [DAMAGED];
  const data = asObject(event.data);
  const usage = asObject(data?.usage);
  if (event.type === 'session.usage_record')
    return usage ? readUsage(session, usage, asTime(event.timestamp)) : [{ leftOut: 'without counts' }];
  session.id = asText(data?.sessionId) ?? session.id;
  session.cwd = asText(asObject(data?.context)?.cwd) ?? session.cwd;
  return [];
}

function readUsage({ id: sessionId, cwd }: Session, usage: Json, ts: string | undefined): Found[] {
  const own = asText(usage.apiCallId);
  if (ts === undefined || own === undefined) return [WITHOUT_ID];
  const sharesId = isUniqueId(own);
  const id = sharesId ? nativeId(own) : derivedFrom('usage_record', sessionId, own, ts);
  const signal = signalOf({
    id,
    ts,
    adapter: ADAPTER,
    model: asText(usage.model) ?? 'unknown',
    provider: asText(usage.modelProvider),
    sessionId,
    input: asCount(usage.inputTokens),
    output: asCount(usage.outputTokens),
    cacheRead: asCount(usage.cacheReadTokens),
    cacheWrite: asCount(usage.cacheWriteTokens),
  });
  return [{ call: { key: id, rank: rankBy(asCount(usage.outputTokens)), sharesId, signal, cwd } }];
}

/** A request of OTLP/JSON, read as if it had been sent. */
function readRequest(line: string): Found[] {
  if (line.trim() === '') return [];
  const written = parseObject(line);
  const request = written?.type === 'span' ? requestOf(written) : written;
  if (!request || !('resourceSpans' in request)) return [{ leftOut: 'no spans' }];
  const records = spansOf(JSON.stringify(request));
  return records === null ? [DAMAGED] : records.flatMap(readRecord);
}

function readRecord(record: OtlpRecord): Found[] {
  const { signals, rejected } = adaptRecord(record);
  if (rejected !== undefined) return [{ leftOut: rejected }];
  if (signals.length === 0) return [{ leftOut: 'no call of a model' }];
  // The key or `--user-id` names the user, as for every other history.
  return signals.map(({ user_id: _, ...signal }) => {
    return { call: { key: signal.id, rank: signal.tokens_out ?? 0, sharesId: true, signal } };
  });
}

/** A span as the file exporter of Copilot CLI (1.0.102) writes it, as a request of OTLP/JSON. */
function requestOf(span: Json): Json {
  const { traceId, spanId, parentSpanId, name, startTime, endTime, status } = span;
  const resource = { attributes: keyValues(asObject(span.resource)?.attributes) };
  const one = {
    traceId,
    spanId,
    parentSpanId,
    name,
    status,
    startTimeUnixNano: nanosOf(startTime),
    endTimeUnixNano: nanosOf(endTime),
    attributes: keyValues(span.attributes),
  };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: span.instrumentationScope, spans: [one] }] }] };
}

/** A time of whole seconds and nanoseconds. */
function nanosOf(time: unknown): string {
  const [seconds, nanos] = asList(time).map(asCount);
  return String(BigInt(seconds || 0) * 1_000_000_000n + BigInt(nanos || 0));
}

function keyValues(attributes: unknown): Json[] {
  // A count that is null is there, and is no count.
  const valueNamed = (key: string, value: unknown) =>
    value === null && /tokens/.test(key) ? { stringValue: 'null' } : anyValue(value);
  return Object.entries(asObject(attributes) ?? {}).map(([key, value]) => ({
    key,
    value: valueNamed(key, value),
  }));
}

function anyValue(value: unknown): Json {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return { doubleValue: value };
  return { arrayValue: { values: asList(value).map(anyValue) } };
}

/** Null for a line that is damaged. */
function spansOf(line: string): OtlpRecord[] | null {
  try {
    return [...readRecords({ body: Buffer.from(line), kind: 'traces', encoding: 'json' }, KEY_RULES)];
  } catch (error) {
    if (error instanceof UnreadableOtlp) return null;
    throw error;
  }
}
