import type { ClientSession, mongo } from 'mongoose';
import { type Signal, signalRows } from '../../../core/calls/signals/model.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../../../platform/basics/contract.ts';
import type { Context } from '../../../platform/context/context.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import type { Parts, Span } from '../attribution/decide-work.ts';
import { decideWorks, stretchWorks, type WorksByCall } from '../attribution/decide-works.ts';
import { partsOf, type WorkRow, workRows } from '../attribution/model.ts';
import { branchKey } from '../attribution/names.ts';
import type { Facts } from '../attribution/read-facts.ts';

/** Calls that one transaction moves, at most. */
export const MOVED_AT_ONCE = 500;
/** Calls of one client session or work that one transaction looks at, and of all together. */
const READ_AT_ONCE = 1_000;
export const LOOKED_AT_ONCE = 2_000;

/** How many calls a search may move at the most, and how many it may look at. */
export interface Limits {
  most: number;
  look: number;
}

/** A call as far as a move looks at it. */
export type Looked = Pick<
  Signal,
  '_id' | 'ts' | 'user_id' | 'client_session' | 'work' | 'own' | 'session_id' | 'voided'
>;

const LOOKED = { ts: 1, user_id: 1, client_session: 1, work: 1, own: 1, session_id: 1, voided: 1 };

/** Calls that belong elsewhere, with the work that they get (absent: none). */
export interface FoundMoves {
  moved: { call: Looked; work: WorkRow | undefined }[];
  /** Calls that were looked at and stay, or have their turn later; none that is voided. */
  others: readonly Looked[];
  /** How many calls it has looked at. */
  looked: number;
  /** The last call of those that are done (without an id: the first of those that are not); null when all are done. */
  rest: Pick<Looked, '_id' | 'ts'> | null;
}

/** The calls of a client session that are to be looked at: in a span, after a call where one was the last. */
export interface SessionMove {
  client_session: string;
  span: Span;
  after?: string;
}

/** Finds the calls of a client session that belong elsewhere by these facts, in the order of their times, within limits. */
export async function findSessionMoves(
  ctx: Context,
  facts: Facts,
  { client_session, span, after }: SessionMove,
  { most, look }: Limits,
  transaction: ClientSession,
): Promise<FoundMoves> {
  const from = dateAt(Math.max(span.fromMs, ctx.clock.now() - SIGNAL_AGE_MS.behind));
  if (Math.min(most, look) <= 0)
    return { moved: [], others: [], looked: 0, rest: { ts: from, _id: after ?? '' } };
  const limit = Math.min(look, READ_AT_ONCE);
  const later = after ? { $or: [{ ts: { $gt: from } }, { _id: { $gt: after } }] } : {};
  const ts = { $gte: from, $lt: dateAt(span.untilMs) };
  const calls = await findCalls(
    ctx,
    { client_session, ts, org_id: facts.orgId, ...later },
    limit,
    transaction,
  );
  const works = await worksOf(ctx, calls, transaction);
  const decided = await decideWorks(
    ctx,
    facts,
    calls.map(({ work, own = [], ...call }) => ({ ...call, own, ...partsBy(works, work) })),
  );
  return chosen(calls, decided, { most, isAll: calls.length < limit });
}

/** The first calls that match, in the order of their times. */
function findCalls(
  ctx: Context,
  matching: mongo.Filter<Signal>,
  limit: number,
  transaction: ClientSession,
): Promise<Looked[]> {
  return signalRows(ctx)
    .find(matching, { session: transaction })
    .sort({ ts: 1, _id: 1 })
    .limit(limit)
    .project<Looked>(LOOKED)
    .toArray();
}

function chosen(
  calls: readonly Looked[],
  decided: WorksByCall,
  { most, isAll }: { most: number; isAll: boolean },
): FoundMoves {
  const differing = calls.filter(({ _id, work }) => decided.get(_id)?._id !== work);
  const moved = differing.slice(0, most).map((call) => ({ call, work: decided.get(call._id) }));
  const gone = new Set(moved.map(({ call }) => call));
  const isMore = differing.length > most;
  const first = calls.slice(0, 1).map(({ ts }) => ({ ts, _id: '' }));
  const last = (isMore ? (moved.at(-1)?.call ?? first[0]) : calls.at(-1)) ?? null;
  const rest = isMore || !isAll ? last : null;
  const others = calls.filter((call) => !call.voided && !gone.has(call));
  return { moved, others, looked: calls.length, rest };
}

async function worksOf(
  ctx: Context,
  calls: readonly Looked[],
  transaction: ClientSession,
): Promise<ReadonlyMap<string, WorkRow>> {
  const ids = [...new Set(calls.flatMap(({ work }) => work ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await findByIds(workRows(ctx), ids, transaction);
  return new Map(rows.map((row) => [row._id, row]));
}

function partsBy(works: ReadonlyMap<string, WorkRow>, work: string | undefined): Parts {
  const row = works.get(work ?? '');
  return row ? partsOf(row) : {};
}

/** The calls of a branch that a late boundary may have put into another stretch. */
export interface BranchMove {
  repository: string;
  branch_hash: string;
  fromMs: number;
}

/** Finds the calls of a branch that lie in another stretch by these facts, within limits. */
export async function findBranchMoves(
  ctx: Context,
  facts: Facts,
  { repository, branch_hash, fromMs }: BranchMove,
  { most, look }: Limits,
  transaction: ClientSession,
): Promise<FoundMoves> {
  if (Math.min(most, look) <= 0)
    return { moved: [], others: [], looked: 0, rest: { ts: dateAt(fromMs), _id: '' } };
  const { orgId } = facts;
  const key = branchKey(ctx, orgId, repository, branch_hash);
  const boundaries = (await facts.boundaries(new Set([key]))).get(key) ?? [];
  const earliestMs = boundaries.findLast((at) => at < fromMs) ?? 0;
  const rows = await workRows(ctx)
    .find({ org_id: orgId, 'branch.hash': branch_hash }, { session: transaction })
    .toArray();
  const oldestMs = ctx.clock.now() - SIGNAL_AGE_MS.behind;
  const works = rows.filter((row) => row.repository === repository && row.since >= earliestMs);
  // All calls after the end of a stretch differ, so none beyond those that move is to be read.
  const limit = Math.min(look, most + 1);
  const calls: Looked[] = [];
  for (const { _id: work, since } of works) {
    const endMs = boundaries.find((at) => at > since);
    if (endMs === undefined || calls.length >= limit) continue;
    const ts = { $gte: dateAt(Math.max(endMs, oldestMs)) };
    const left = limit - calls.length;
    calls.push(...(await findCalls(ctx, { work, ts, org_id: orgId }, left, transaction)));
  }
  const byId = new Map(works.map((row) => [row._id, row]));
  const parts = new Map(calls.map(({ _id, work }) => [_id, partsBy(byId, work)]));
  const decided = await stretchWorks(ctx, facts, { calls, parts });
  return chosen(calls, decided, { most, isAll: calls.length < limit });
}
