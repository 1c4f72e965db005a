import { join } from 'node:path';
import { adaptRecord, KEY_RULES } from '../../../../shared/adapters/adapt.ts';
import { derivedFrom, nativeId } from '../../../../shared/adapters/base.ts';
import { readRecords } from '../../../../shared/adapters/otlp/read-records.ts';
import { type OtlpRecord, UnreadableOtlp } from '../../../../shared/adapters/otlp/record.ts';
import { isUniqueId } from '../../../../shared/adapters/spans.ts';
import {
  countOf,
  eachLine,
  type FileReader,
  type Found,
  type Json,
  objectOf,
  parseObject,
  type Tool,
  textOf,
  timeOf,
} from '../history.ts';
import { signalOf } from '../signal.ts';

const ADAPTER = 'github-copilot';

/**
 * GitHub Copilot CLI's history: the events of its sessions, and the files of its OpenTelemetry exporter where one was set.
 * Both have the provider's id of each answer, as its telemetry has.
 */
export const copilot: Tool = {
  name: 'copilot',
  adapter: ADAPTER,
  homes: (home) => [join(home, '.copilot', 'session-state'), join(home, '.copilot', 'otel')],
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
  if (!KINDS.some((kind) => line.includes(`"${kind}"`))) return [];
  const event = parseObject(line);
  const data = objectOf(event?.data);
  const usage = objectOf(data?.usage);
  if (event?.type === 'session.usage_record' && usage)
    return readUsage(session, usage, timeOf(event.timestamp));
  session.id = textOf(data?.sessionId) ?? session.id;
  session.cwd = textOf(objectOf(data?.context)?.cwd) ?? session.cwd;
  return [];
}

function readUsage({ id: sessionId, cwd }: Session, usage: Json, ts: string | undefined): Found[] {
  const own = textOf(usage.apiCallId);
  if (ts === undefined || own === undefined) return [{ leftOut: 'without a time or an id' }];
  const sharesId = isUniqueId(own);
  const id = sharesId ? nativeId(own) : derivedFrom('usage_record', sessionId, own, ts);
  const signal = signalOf({
    id,
    ts,
    adapter: ADAPTER,
    model: textOf(usage.model) ?? 'unknown',
    provider: textOf(usage.modelProvider),
    sessionId,
    input: countOf(usage.inputTokens),
    output: countOf(usage.outputTokens),
    cacheRead: countOf(usage.cacheReadTokens),
    cacheWrite: countOf(usage.cacheWriteTokens),
  });
  return [{ call: { key: id, rank: countOf(usage.outputTokens), sharesId, signal, cwd } }];
}

/** A request of OTLP/JSON, read as if it had been sent. */
function readRequest(line: string): Found[] {
  if (line.trim() === '') return [];
  const request = parseObject(line);
  if (!request || !('resourceSpans' in request)) return [{ leftOut: 'no spans' }];
  return spansOf(line).flatMap((record): Found[] => {
    const { signals, rejected } = adaptRecord(record);
    if (rejected !== undefined) return [{ leftOut: rejected }];
    // Whose it is, the key or `--user-id` says, as for every other history.
    return signals.map(({ user_id: _, ...signal }) => {
      return { call: { key: signal.id, rank: signal.tokens_out ?? 0, sharesId: true, signal } };
    });
  });
}

/** No spans for a line that is damaged. */
function spansOf(line: string): OtlpRecord[] {
  try {
    return [...readRecords({ body: Buffer.from(line), kind: 'traces', encoding: 'json' }, KEY_RULES)];
  } catch (error) {
    if (error instanceof UnreadableOtlp) return [];
    throw error;
  }
}
