import type { ClientSession } from 'mongoose';
import type { Reader } from '../../../core/accounts/organizations/reader.ts';
import { signalRows } from '../../../core/calls/signals/model.ts';
import { addSums, noSums, type Sums, sumsOf } from '../../../core/calls/usage/measures.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import type { Context } from '../../../platform/context/context.ts';
import { daysBefore } from '../../../platform/mongo/retention.ts';
import { totalOf, type WorkSums } from './sum-works.ts';

/** The calls of a session that belong to the same pull request or branch. */
export interface SessionSums {
  session_id: string;
  user_id: string;
  sums: Sums;
}

/** `[fromMs, toMs)`, epoch ms. */
export interface CallTime {
  fromMs: number;
  toMs: number;
}

/** The sessions of each pull request or branch, by its id, most expensive first. */
export type SessionsOf = ReadonlyMap<string, readonly SessionSums[]>;

/** Calls that are read one by one for one answer: a quarter of a second on the embedded store. */
const MOST_CALLS = 50_000;

/**
 * The sums of sessions, most expensive first, for each of these sums of works: rollups have no sessions, so the calls are read
 * one by one, by the index of their work. Left out are those with more calls than are left of 50,000, in the order of the map, and
 * those of which some calls are no longer kept.
 */
export async function sumSessions(
  ctx: Context,
  reader: Reader,
  { costs, calls }: { costs: ReadonlyMap<string, readonly WorkSums[]>; calls: CallTime | null },
  transaction: ClientSession,
): Promise<SessionsOf> {
  const keptSince = daysBefore(ctx.clock.now(), ctx.config.signalRetentionDays);
  const found = new Map<string, readonly SessionSums[]>();
  let left = MOST_CALLS;
  for (const [id, rows] of costs) {
    const { signals } = totalOf(rows);
    if (signals > left || rows.some(({ start }) => start && start < keptSince)) continue;
    left -= signals;
    const works = new Set(rows.map(({ work }) => work));
    found.set(id, await sumSessionsOf(ctx, reader, { works, calls }, transaction));
  }
  return found;
}

async function sumSessionsOf(
  ctx: Context,
  { orgId, userId }: Reader,
  { works, calls }: { works: ReadonlySet<string>; calls: CallTime | null },
  transaction: ClientSession,
): Promise<SessionSums[]> {
  const own = userId === null ? {} : { user_id: userId };
  const ts = calls && { $gte: dateAt(calls.fromMs), $lt: dateAt(calls.toMs) };
  const sessions = new Map<string, SessionSums>();
  for (const work of works) {
    const stages = [
      { $match: { work, ...(ts ? { ts } : {}) } },
      { $match: { org_id: orgId, voided: { $exists: false }, ...own } },
      { $group: { _id: '$session_id', user_id: { $first: '$user_id' }, ...CALL_SUMS } },
    ];
    const options = { session: transaction, useBigInt64: true };
    for await (const row of signalRows(ctx).aggregate<SummedSession>(stages, options)) {
      const { _id: session_id, user_id } = row;
      const known = sessions.get(session_id) ?? { session_id, user_id, sums: noSums() };
      addSums(known.sums, sumsOf(row));
      sessions.set(session_id, known);
    }
  }
  return [...sessions.values()].toSorted(
    (a, b) => Number(b.sums.cost_nusd - a.sums.cost_nusd) || (a.session_id < b.session_id ? -1 : 1),
  );
}

interface SummedSession {
  _id: string;
  user_id: string;
}

/** The measures of calls that answers show, as `measuresOf` counts each. */
const CALL_SUMS = {
  signals: { $sum: 1 },
  errors: { $sum: { $cond: [{ $gt: ['$error', null] }, 1, 0] } },
  tokens_in: { $sum: '$tokens_in' },
  tokens_out: { $sum: '$tokens_out' },
  cost_nusd: { $sum: { $toLong: { $ifNull: ['$cost_nusd', 0] } } },
  unpriced_signals: { $sum: { $cond: [{ $gt: ['$cost_nusd', null] }, 0, 1] } },
};
