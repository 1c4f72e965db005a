import type { z } from 'zod';
import { NO_PROJECT, SIGNAL_AGE_MS } from '../../../platform/basics/contract.ts';
import { faultsOf, IN_PLAIN_WORDS } from '../../../platform/basics/faults.ts';
import { priceCall } from '../../pricing/price.ts';
import { pricedFieldsOf } from '../../pricing/priced-fields.ts';
import { countedProvider } from '../../pricing/provider-of.ts';
import { ID_LENGTH, type SignalInput, type SignalResult, signalInput } from './input.ts';
import { type Signal, signalKey } from './model.ts';
import type { Name, Part, Place } from './place.ts';

/** The parts that a signal says by itself, or by the telemetry that it came with. */
export interface SaidParts {
  /** Those that no context overrules. */
  own: Part[];
  place?: Place;
  task?: Name;
}

/** A signal that may be recorded, lacking only its session, and the work that its parts are a part of. */
export type Draft = Omit<Signal, 'session_id'> & {
  parts?: SaidParts;
  /** True: it came with a bound key, so it settles its own user's reservation only. */
  settles_own?: true;
};

/** Gives a signal the key of its client session, and its parts with the hashes of their names. */
export type Say = (signal: SignalInput) => Pick<Draft, 'client_session' | 'parts'>;

export interface Sender {
  orgId: string;
  boundUserId: string | null;
  defaultProjectId: string | null;
}

export function senderOf(key: { orgId: string; userId: string | null; projectId: string | null }): Sender {
  return { orgId: key.orgId, boundUserId: key.userId, defaultProjectId: key.projectId };
}

/** Wrong fields of a signal that an answer names. */
const MAX_FAULTS = 5;

type Rejection = Extract<SignalResult, { status: 'rejected' }>;

/**
 * Checks and prices one posted signal: a draft, or why it is rejected. Pure; `nowMs` is epoch milliseconds. Without `say` the
 * draft belongs to no work.
 */
export function checkSignal(
  posted: unknown,
  sender: Sender,
  nowMs: number,
  say: Say = () => ({}),
): Draft | Rejection {
  const parsed = signalInput.safeParse(posted, IN_PLAIN_WORDS);
  if (!parsed.success) return reject(idOf(posted), 'invalid_signal', detailOf(parsed.error));
  const signal = parsed.data;
  const userId = signal.user_id ?? sender.boundUserId;
  if (userId === null)
    return reject(signal.id, 'user_required', 'user_id: is needed; this key is bound to no user');
  if (sender.boundUserId !== null && userId !== sender.boundUserId) {
    return reject(signal.id, 'foreign_user', 'user_id: this key may report its own user only');
  }
  if (signal.ts > nowMs + SIGNAL_AGE_MS.ahead)
    return reject(signal.id, 'ts_ahead', 'ts: is more than 5 minutes ahead');
  if (signal.ts < nowMs - SIGNAL_AGE_MS.behind)
    return reject(signal.id, 'ts_behind', 'ts: is more than 35 days back');
  return { ...draftOf(signal, sender, userId, nowMs), ...say(signal) };
}

/** The faults in one line, such as "ts: is missing; adapter: is missing". */
function detailOf(error: z.ZodError): string {
  const faults = faultsOf(error, MAX_FAULTS);
  return faults.map(({ path, detail }) => `${path.join('.') || 'the signal'}: ${detail}`).join('; ');
}

function draftOf(signal: SignalInput, sender: Sender, userId: string, nowMs: number): Draft {
  const counts = {
    tokens_in: signal.tokens_in ?? 0,
    tokens_out: signal.tokens_out ?? 0,
    cache_read_tokens: signal.cache_read_tokens ?? 0,
    cache_write_tokens: signal.cache_write_tokens ?? 0,
    ...pricedFieldsOf(signal),
  };
  const { model, provider, cost_usd: reportedUsd } = signal;
  const isUncounted = signal.tokens_in === null || signal.tokens_out === null;
  const { costNusd, source } = priceCall({
    model,
    provider,
    reportedUsd,
    isUncounted,
    at: signal.ts,
    ...counts,
  });
  return {
    _id: signalKey(sender.orgId, signal.adapter, signal.id),
    org_id: sender.orgId,
    id: signal.id,
    type: signal.type,
    ts: new Date(signal.ts),
    user_id: userId,
    project_id: signal.project_id ?? sender.defaultProjectId ?? NO_PROJECT,
    adapter: signal.adapter,
    model: model ?? null,
    provider: provider ?? null,
    price_provider: countedProvider(signal, signal.ts),
    ...counts,
    cost_nusd: costNusd,
    cost_source: source,
    ...(isUncounted ? { uncounted: true as const } : {}),
    ...(signal.error ? { error: signal.error } : {}),
    ...(signal.latency_ms === undefined ? {} : { latency_ms: signal.latency_ms }),
    ...(signal.tool_name === undefined ? {} : { tool_name: signal.tool_name }),
    ...(signal.metadata ? { metadata: signal.metadata } : {}),
    ...(signal.intervention ? { intervention: signal.intervention } : {}),
    ...(signal.reservation_id === undefined ? {} : { reservation_id: signal.reservation_id }),
    ...(signal.reservation_id === undefined || sender.boundUserId === null ? {} : { settles_own: true }),
    received_at: new Date(nowMs),
  };
}

/** A rejected signal: its id, a stable code, and why in words. */
export function reject(id: string | null, code: string, detail: string): Rejection {
  return { id, status: 'rejected', code, detail };
}

/** The id to answer with when the signal itself is not valid: its first 128 characters, none of them cut in two. */
function idOf(posted: unknown): string | null {
  if (typeof posted !== 'object' || posted === null || !('id' in posted)) return null;
  if (typeof posted.id !== 'string' || !posted.id.isWellFormed()) return null;
  return Array.from(posted.id).slice(0, ID_LENGTH).join('');
}
