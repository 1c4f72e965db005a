import { hashedKey } from '../../../platform/basics/ids.ts';
import type { Organization } from '../../accounts/organizations/model.ts';
import { providerOf } from '../../pricing/provider-of.ts';
import { UNKNOWN_PROVIDER } from '../../pricing/providers.ts';
import type { Draft } from '../signals/check-signal.ts';
import type { Signal } from '../signals/model.ts';
import type { Session, SessionChange } from './model.ts';

export interface Assignment {
  /** Session id by signal `_id`, without signals that would bring their session more models than it may have. */
  placed: Map<string, string>;
  /** Every session that is new or differs, with what it was before (null: new). */
  changed: SessionChange[];
  newest: Session | null;
  /**
   * True when the key has gained a session, or one reaches further back or, having ended, further on. Such transactions must
   * not overlap, so they write the key's head. One that opens a session newer than an open one writes that one too.
   */
  moved: boolean;
}

/** The identity of a run of activity: who, where, with which tool. */
export function sessionKey(orgId: string, userId: string, projectId: string, adapter: string): string {
  return hashedKey(18, orgId, userId, projectId, adapter);
}

/**
 * Puts signals of one key into sessions, in event time (docs/sessions.md). Pure. `existing` must hold the newest session of
 * the key, and every one that reaches to within `timeoutMs` of a signal. Sessions never overlap, so their starts and their
 * ends have one order.
 */
export function assignSignals(input: {
  key: string;
  existing: readonly Session[];
  signals: readonly Draft[];
  timeoutMs: number;
  nowMs: number;
  mostModels: number;
  newSessionId: () => string;
}): Assignment {
  const before = new Map(input.existing.map((session) => [session._id, session]));
  const sessions = input.existing.map((session) => structuredClone(session));
  sessions.sort((a, b) => a.started_at.getTime() - b.started_at.getTime());
  const placed = new Map<string, string>();
  const inTime = [...input.signals].sort((a, b) => a.ts.getTime() - b.ts.getTime());
  for (const signal of inTime) {
    const joined = nearestFitting(sessions, signal.ts.getTime(), input.timeoutMs);
    if (joined && !hasRoomFor(joined, signal.model, input.mostModels)) continue;
    const session = joined ?? begin(sessions, signal, input);
    addSignal(session, signal);
    placed.set(signal._id, session._id);
  }
  const touched = new Set(placed.values());
  endSuperseded(sessions, before, input.timeoutMs, input.nowMs, touched);
  const changed = sessions
    .filter((session) => touched.has(session._id))
    .map((after) => ({ before: before.get(after._id) ?? null, after }));
  return {
    placed,
    changed,
    newest: sessions.at(-1) ?? null,
    moved: changed.some(
      ({ before, after }) =>
        before?.started_at.getTime() !== after.started_at.getTime() ||
        (before.state === 'ended' && before.ended_at.getTime() !== after.ended_at.getTime()),
    ),
  };
}

/** The session that reaches to `ts`, the nearer of two (the earlier of two equally near). */
function nearestFitting(sessions: readonly Session[], ts: number, timeoutMs: number): Session | undefined {
  let best: Session | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (let index = sessions.length - 1; index >= 0; index -= 1) {
    const session = sessions[index];
    if (!session) continue;
    const distance = distanceTo(session, ts);
    const fits =
      distance <= timeoutMs && !(session.end_reason === 'closed' && ts > session.ended_at.getTime());
    if (fits && distance <= bestDistance) {
      best = session;
      bestDistance = distance;
    }
    // Sorted and disjoint: earlier sessions are further away, and a signal leaps over no session, also no closed one.
    if (session.ended_at.getTime() < ts) break;
  }
  return best;
}

function hasRoomFor({ model_tokens }: Session, model: string | null, mostModels: number): boolean {
  if (model === null || model_tokens.length < mostModels) return true;
  return model_tokens.some((entry) => entry.model === model);
}

function distanceTo(session: Session, ts: number): number {
  return Math.max(session.started_at.getTime() - ts, ts - session.ended_at.getTime(), 0);
}

function begin(
  sessions: Session[],
  signal: Draft,
  input: { key: string; newSessionId: () => string },
): Session {
  const session: Session = {
    _id: input.newSessionId(),
    org_id: signal.org_id,
    user_id: signal.user_id,
    project_id: signal.project_id,
    adapter: signal.adapter,
    key: input.key,
    state: 'open',
    end_reason: null,
    started_at: signal.ts,
    last_activity_at: signal.ts,
    ended_at: signal.ts,
    model: 'unknown',
    price_provider: UNKNOWN_PROVIDER,
    model_tokens: [],
    tokens_in: 0,
    tokens_out: 0,
    cost_nusd: 0,
    unpriced_signals: 0,
    signal_count: 0,
    error_count: 0,
    intervention_count: 0,
  };
  const at = sessions.findIndex((other) => other.started_at.getTime() > signal.ts.getTime());
  sessions.splice(at === -1 ? sessions.length : at, 0, session);
  return session;
}

function addSignal(session: Session, signal: Draft): void {
  if (signal.ts < session.started_at) session.started_at = signal.ts;
  if (signal.ts > session.last_activity_at) session.last_activity_at = signal.ts;
  if (session.last_activity_at > session.ended_at) session.ended_at = session.last_activity_at;
  countSignal(session, signal);
  if (signal.model !== null)
    countModel(session, signal.model, signal.tokens_in + signal.tokens_out, signal.ts);
}

function countModel(session: Session, model: string, tokens: number, at: Date): void {
  const known = session.model_tokens.find((entry) => entry.model === model);
  if (known) {
    known.tokens += tokens;
    if (at < known.first_at) known.first_at = at;
  } else {
    session.model_tokens.push({ model, tokens, first_at: at });
  }
  setModels(session, session.model_tokens);
}

type CountedSignal = Omit<Signal, 'session_id'>;

/** Adds the counts of a signal to those of its session, or takes them away with the sign -1. In place. */
export function countSignal(session: Session, signal: CountedSignal, sign: 1 | -1 = 1): void {
  session.signal_count += sign;
  session.error_count += signal.error ? sign : 0;
  session.intervention_count += signal.type === 'intervention' ? sign : 0;
  session.tokens_in += sign * signal.tokens_in;
  session.tokens_out += sign * signal.tokens_out;
  session.cost_nusd += sign * (signal.cost_nusd ?? 0);
  session.unpriced_signals += signal.cost_nusd === null ? sign : 0;
}

export type ModelTokens = Session['model_tokens'][number];

/**
 * Puts the models of a session in the order of first use, and names its primary model: the one with most tokens, the first of
 * equals. Signals give the same order however they arrive. In place.
 */
export function setModels(session: Session, models: readonly ModelTokens[]): void {
  session.model_tokens = models.toSorted(
    (a, b) => a.first_at.getTime() - b.first_at.getTime() || (a.model < b.model ? -1 : 1),
  );
  const most = Math.max(...models.map(({ tokens }) => tokens));
  const primary = session.model_tokens.find(({ tokens }) => tokens === most);
  const model = primary?.model ?? 'unknown';
  if (model === session.model) return;
  session.model = model;
  session.price_provider = primary ? providerOf(primary, primary.first_at.getTime()) : UNKNOWN_PROVIDER;
}

/** Only the newest session may be open, and a new one whose timeout has passed is ended from the beginning. */
function endSuperseded(
  sessions: readonly Session[],
  before: ReadonlyMap<string, Session>,
  timeoutMs: number,
  nowMs: number,
  touched: Set<string>,
): void {
  for (const [index, session] of sessions.entries()) {
    if (session.state !== 'open') continue;
    const superseded = index < sessions.length - 1;
    const isBornEnded = !before.has(session._id) && isPastTimeout(session, timeoutMs, nowMs);
    if (!superseded && !isBornEnded) continue;
    endByTimeout(session);
    touched.add(session._id);
  }
}

/** How long a session may be silent, in milliseconds. */
export function timeoutMsOf({ session_timeout }: Pick<Organization, 'session_timeout'>): number {
  return session_timeout * 1_000;
}

/** The first moment (epoch ms) at which a session's silence has lasted longer than the timeout. */
export function silenceEndsMs(
  { last_activity_at }: Pick<Session, 'last_activity_at'>,
  timeoutMs: number,
): number {
  return last_activity_at.getTime() + timeoutMs + 1;
}

/** Returns true when the silence has lasted for the timeout: a signal now would begin another session. */
export function isPastTimeout(session: Session, timeoutMs: number, nowMs: number): boolean {
  return nowMs >= silenceEndsMs(session, timeoutMs);
}

/** Ends an open session in place: the idle gap is not work, so it ends with its last activity. */
export function endByTimeout(session: Session): void {
  session.state = 'ended';
  session.end_reason = 'timeout';
}
