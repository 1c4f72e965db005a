import type { ClientSession, mongo } from 'mongoose';
import type { Parts, Span } from '../attribution/decide-work.ts';
import { decideWorks, stretchWorks, type WorksByCall } from '../attribution/decide-works.ts';
import { partsOf, type WorkRow, workRows } from '../attribution/model.ts';
import { branchKey } from '../attribution/names.ts';
import type { Facts } from '../attribution/read-facts.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import type { Context } from '../platform/context/context.ts';
import { findByIds } from '../platform/mongo/find-by-ids.ts';
import { type Signal, signalRows } from '../signals/model.ts';

/** Calls that one transaction moves, at most. */
export const MOVED_AT_ONCE = 500;
/** Calls that one transaction looks at. */
const READ_AT_ONCE = 1_000;

/** A call as far as a move looks at it. */
export type Looked = Pick<
  Signal,
  '_id' | 'ts' | 'user_id' | 'client_session' | 'work' | 'own' | 'session_id'
>;

const LOOKED = { ts: 1, user_id: 1, client_session: 1, work: 1, own: 1, session_id: 1 };

/** Calls that belong elsewhere, with the work that they get (absent: none). */
export interface FoundMoves {
  moved: { call: Looked; work: WorkRow | undefined }[];
  /** Calls that were looked at and stay, or have their turn later. */
  others: readonly Looked[];
  /** The last call of those that are done (without an id: the first of those that are not); null when all are done. */
  rest: Pick<Looked, '_id' | 'ts'> | null;
}

/** The calls of a client session that are to be looked at: in a span, after a call where one was the last. */
export interface SessionMove {
  client_session: string;
  span: Span;
  after?: string;
}

/** Finds the calls of a client session that belong elsewhere by these facts, in the order of their times, `most` at the most. */
export async function findSessionMoves(
  ctx: Context,
  facts: Facts,
  { client_session, span, after }: SessionMove,
  most: number,
  transaction: ClientSession,
): Promise<FoundMoves> {
  const from = dateAt(Math.max(span.fromMs, ctx.clock.now() - SIGNAL_AGE_MS.behind));
  const later = after ? { $or: [{ ts: { $gt: from } }, { _id: { $gt: after } }] } : {};
  const ts = { $gte: from, $lt: dateAt(span.untilMs) };
  const calls = await findCalls(ctx, { client_session, ts, org_id: facts.orgId, ...later }, transaction);
  const works = await worksOf(ctx, calls, transaction);
  const decided = await decideWorks(
    ctx,
    facts,
    calls.map(({ work, own = [], ...call }) => ({ ...call, own, ...partsBy(works, work) })),
  );
  return chosen(calls, decided, most);
}

/** The first calls that match, in the order of their times. */
function findCalls(
  ctx: Context,
  matching: mongo.Filter<Signal>,
  transaction: ClientSession,
): Promise<Looked[]> {
  return signalRows(ctx)
    .find(matching, { session: transaction })
    .sort({ ts: 1, _id: 1 })
    .limit(READ_AT_ONCE)
    .project<Looked>(LOOKED)
    .toArray();
}

function chosen(calls: readonly Looked[], decided: WorksByCall, most: number): FoundMoves {
  const differing = calls.filter(({ _id, work }) => decided.get(_id)?._id !== work);
  const moved = differing.slice(0, most).map((call) => ({ call, work: decided.get(call._id) }));
  const gone = new Set(moved.map(({ call }) => call));
  const isMore = differing.length > most;
  const first = calls.slice(0, 1).map(({ ts }) => ({ ts, _id: '' }));
  const last = (isMore ? (moved.at(-1)?.call ?? first[0]) : calls.at(-1)) ?? null;
  const rest = isMore || calls.length === READ_AT_ONCE ? last : null;
  return { moved, others: calls.filter((call) => !gone.has(call)), rest };
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

/** Finds the calls of a branch that lie in another stretch by these facts, `most` at the most. */
export async function findBranchMoves(
  ctx: Context,
  facts: Facts,
  { repository, branch_hash, fromMs }: BranchMove,
  most: number,
  transaction: ClientSession,
): Promise<FoundMoves> {
  const { orgId } = facts;
  const key = branchKey(ctx, orgId, repository, branch_hash);
  const boundaries = (await facts.boundaries(new Set([key]))).get(key) ?? [];
  const earliestMs = boundaries.findLast((at) => at < fromMs) ?? 0;
  const rows = await workRows(ctx)
    .find({ org_id: orgId, 'branch.hash': branch_hash }, { session: transaction })
    .toArray();
  const oldestMs = ctx.clock.now() - SIGNAL_AGE_MS.behind;
  const works = rows.filter((row) => row.repository === repository && row.since >= earliestMs);
  const calls: Looked[] = [];
  for (const { _id: work, since } of works) {
    const endMs = boundaries.find((at) => at > since);
    if (endMs === undefined || calls.length > most) continue;
    const ts = { $gte: dateAt(Math.max(endMs, oldestMs)) };
    calls.push(...(await findCalls(ctx, { work, ts, org_id: orgId }, transaction)));
  }
  const byId = new Map(works.map((row) => [row._id, row]));
  const parts = new Map(calls.map(({ _id, work }) => [_id, partsBy(byId, work)]));
  return chosen(calls, await stretchWorks(ctx, facts, { calls, parts }), most);
}
