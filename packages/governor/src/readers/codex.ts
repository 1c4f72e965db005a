import { join } from 'node:path';
import { derivedFrom, isUniqueId, nativeId } from '../../../../shared/core/calls/adapters/base.ts';
import { clip } from '../../../../shared/core/calls/adapters/fields.ts';
import { TIER_LENGTH } from '../../../../shared/core/pricing/priced-fields.ts';
import {
  asCount,
  asObject,
  asText,
  asTime,
  DAMAGED,
  type FileReader,
  type Found,
  type FoundCall,
  type Json,
  parseObject,
  REPEATED,
  signalOf,
  type Tool,
  WITHOUT_ID,
} from './history.ts';

const ADAPTER = 'codex';

/**
 * Codex's rollouts. Newer ones have an exact record per answer; older ones a running total with its last step, which
 * forks and sub-agents replay from their parent.
 */
export const codex: Tool = {
  name: ADAPTER,
  adapter: ADAPTER,
  homes: (home, env) => {
    const folder = env.CODEX_HOME || join(home, '.codex');
    // The active file is read first, and wins over an archived one of the same path.
    return [join(folder, 'sessions'), join(folder, 'archived_sessions')];
  },
  isHistory: (path) => /(?:^|\/)rollout-[^/]+\.jsonl(?:\.zst)?$/.test(path),
  open: () => openRollout(),
};

interface Rollout {
  sessionId: string;
  /**
   * The session whose steps it replays; its own where it replays none. Steps have ids of that one, also when its file is
   * gone.
   */
  originId: string;
  model: string | undefined;
  tier: string | undefined;
  cwd: string | undefined;
  /** The branch and the repository at its beginning. */
  git: { branch?: string | undefined; repositoryUrl?: string | undefined };
  hasRecords: boolean;
  /** The counts of the last step's running total. */
  total: string;
  steps: Step[];
}

/** A step, before it is known whose steps the file replays. */
interface Step {
  counts: number[];
  last: Json;
  ts: string;
  at: Pick<Rollout, 'sessionId' | 'model' | 'tier' | 'cwd' | 'git'>;
}

const KINDS = ['session_meta', 'turn_context', 'token_count', 'token_usage_record'];

function openRollout(): FileReader {
  const rollout: Rollout = {
    sessionId: '',
    originId: '',
    model: undefined,
    tier: undefined,
    cwd: undefined,
    git: {},
    hasRecords: false,
    total: '',
    steps: [],
  };
  return {
    line: (line) => (KINDS.some((kind) => line.includes(`"${kind}"`)) ? readLine(rollout, line) : []),
    // Where there are records, the steps say the same; replayed elsewhere they must not count either.
    end: () =>
      rollout.steps
        .map((step) => stepCall(rollout.originId, step))
        .map((call) => (rollout.hasRecords ? { covered: call.key } : { call })),
  };
}

function readLine(rollout: Rollout, line: string): Found[] {
  const entry = parseObject(line);
  if (!entry) return [DAMAGED];
  const payload = asObject(entry.payload);
  if (!payload) return [];
  const kind = entry.type === 'event_msg' ? asText(payload.type) : asText(entry.type);
  const ts = asTime(entry.timestamp);
  // A fork's first line is its own; its parent's may follow among what is replayed.
  if (kind === 'session_meta') {
    const isFirst = rollout.sessionId === '';
    rollout.sessionId ||= asText(payload.id) ?? '';
    const git = asObject(payload.git);
    if (isFirst && git)
      rollout.git = { branch: asText(git.branch), repositoryUrl: asText(git.repository_url) };
    rollout.originId = parentOf(payload) ?? asText(payload.id) ?? rollout.originId;
  }
  if (kind === 'session_meta' || kind === 'turn_context') {
    rollout.model = asText(payload.model) ?? rollout.model;
    rollout.tier = asText(payload.service_tier) ?? rollout.tier;
    rollout.cwd = asText(payload.cwd) ?? rollout.cwd;
    return [];
  }
  if (kind === 'token_usage_record') return readRecord(rollout, payload, ts);
  return kind === 'token_count' ? readStep(rollout, payload, ts) : [];
}

/** The session whose steps this one replays: a fork names it, and so does an agent that another one has started. */
function parentOf(meta: Json): string | undefined {
  const spawned = asObject(asObject(asObject(meta.source)?.subagent)?.thread_spawn);
  return asText(meta.forked_from_id) ?? asText(spawned?.parent_thread_id);
}

function readRecord(rollout: Rollout, payload: Json, ts: string | undefined): Found[] {
  const responseId = asText(payload.response_id);
  const usage = asObject(payload.usage);
  if (ts === undefined || responseId === undefined || !usage) return [WITHOUT_ID];
  rollout.hasRecords = true;
  const model = asText(payload.model) ?? rollout.model;
  const tier = asText(payload.service_tier) ?? rollout.tier;
  const isUnique = isUniqueId(responseId);
  const id = isUnique
    ? nativeId(responseId)
    : derivedFrom(
        'token_usage_record',
        rollout.originId,
        responseId,
        ts,
        ...COUNTS.map((name) => asCount(usage[name])),
      );
  return [{ call: callOf({ ...rollout, model, tier }, usage, { id, key: isUnique ? responseId : id, ts }) }];
}

function readStep(rollout: Rollout, payload: Json, ts: string | undefined): Found[] {
  const info = asObject(payload.info);
  const last = asObject(info?.last_token_usage);
  const total = asObject(info?.total_token_usage);
  if (!last && !total) return [];
  if (!last || !total) return [{ leftOut: 'without the counts of its step' }];
  if (ts === undefined) return [WITHOUT_ID];
  const countsOf = (usage: Json) => COUNTS.map((name) => asCount(usage[name]));
  // After a compaction the context is counted once more: no step that does not raise the total is a call.
  const before = rollout.total;
  rollout.total = JSON.stringify(countsOf(total));
  if (rollout.total === before) return [{ leftOut: REPEATED }];
  const { sessionId, model, tier, cwd, git } = rollout;
  const counts = [total, last].flatMap(countsOf);
  rollout.steps.push({ counts, last, ts, at: { sessionId, model, tier, cwd, git } });
  return [];
}

/** The running total distinguishes the steps of a session, wherever and whenever they were copied. */
function stepCall(originId: string, { counts, last, ts, at }: Step): FoundCall {
  const id = derivedFrom('token_count', originId, ...counts);
  return callOf(at, last, { id, key: id, ts });
}

const COUNTS = ['input_tokens', 'cached_input_tokens', 'output_tokens', 'reasoning_output_tokens'];

function callOf(
  { sessionId, model, tier, cwd, git }: Step['at'],
  usage: Json,
  { id, key, ts }: { id: string; key: string; ts: string },
): FoundCall {
  const signal = signalOf({
    id,
    ts,
    adapter: ADAPTER,
    model: model ?? 'unknown',
    sessionId: sessionId || undefined,
    input: asCount(usage.input_tokens),
    output: asCount(usage.output_tokens),
    cacheRead: asCount(usage.cached_input_tokens),
    cacheWrite: asCount(usage.cache_write_input_tokens),
    ...(tier === undefined ? {} : { priced: { service_tier: clip(tier, TIER_LENGTH) } }),
  });
  return { key, rank: 0, sharesId: false, signal, cwd, ...git };
}
