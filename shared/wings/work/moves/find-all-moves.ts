import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../platform/basics/clock.ts';
import { joinPlans, NO_PLAN, type Plan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { few } from '../../../platform/context/few.ts';
import { type DueJob, type DueRow, dueId, dueRows } from '../../../platform/due/model.ts';
import { setDue } from '../../../platform/due/plan-due.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import { spanOf } from '../attribution/decide-work.ts';
import type { ContextRow } from '../attribution/model.ts';
import type { Facts } from '../attribution/read-facts.ts';
import {
  type BranchMove,
  type FoundMoves,
  findBranchMoves,
  findSessionMoves,
  type Limits,
  LOOKED_AT_ONCE,
  type Looked,
  MOVED_AT_ONCE,
  type SessionMove,
} from './find-moves.ts';
import { type DueBranchMove, type DueSessionMove, moveBranchCallsJob, moveSessionCallsJob } from './jobs.ts';

/** The reason why calls move. */
export type Cause = 'context' | 'boundary';

/** Facts that are recorded now. */
export interface NewFacts {
  /** New contexts by client session. */
  told: ReadonlyMap<string, readonly ContextRow[]>;
  /** The branches with new boundaries, each from the earliest of them on. */
  bounded: ReadonlyMap<string, BranchMove>;
}

/** The calls that move now, and the due rows of those that workers move. */
export interface FoundAll extends Pick<FoundMoves, 'moved' | 'others'> {
  count: Record<Cause, number>;
  due: Plan;
}

/** A client session or a branch with new facts. */
interface Step {
  cause: Cause;
  /** Finds what moves now, within limits, and plans the due row of the rest. */
  find: (limits: Limits) => Promise<{ found: FoundMoves; due: Plan }>;
}

/** Finds what moves now, and plans the due rows of the rest: first the calls of sessions, then those of branches. */
export async function findAllMoves(
  ctx: Context,
  facts: Facts,
  { told, bounded }: NewFacts,
  transaction: ClientSession,
): Promise<FoundAll> {
  const due = await findDue(ctx, { sessions: [...told.keys()], branches: [...bounded.keys()] }, transaction);
  const timelines = await facts.timelines(new Set(told.keys()));
  const sessions = [...told].map(([client_session, fresh]) => {
    const span = spanOf(timelines.get(client_session) ?? [], fresh);
    const waiting = due.get(dueId(moveSessionCallsJob, client_session));
    return sessionStep(ctx, facts, { move: { client_session, span }, waiting }, transaction);
  });
  const branches = [...bounded].map(([branch, move]) => {
    const waiting = due.get(dueId(moveBranchCallsJob, branch));
    return branchStep(ctx, facts, { branch, move, waiting }, transaction);
  });
  const count: Record<Cause, number> = { context: 0, boundary: 0 };
  const moved = new Map<string, FoundMoves['moved'][number]>();
  const others: Looked[] = [];
  const rests: Plan[] = [];
  let look = few(ctx, LOOKED_AT_ONCE);
  for (const { cause, find } of [...sessions, ...branches]) {
    const { found, due: rest } = await find({ most: few(ctx, MOVED_AT_ONCE) - moved.size, look });
    // A call moves once.
    const fresh = found.moved.filter(({ call }) => !moved.has(call._id));
    for (const move of fresh) moved.set(move.call._id, move);
    count[cause] += fresh.length;
    others.push(...found.others);
    rests.push(rest);
    look -= found.looked;
  }
  const staying = others.filter(({ _id }) => !moved.has(_id));
  return { moved: [...moved.values()], others: staying, count, due: joinPlans(...rests) };
}

const NONE_FOUND: FoundMoves = { moved: [], others: [], looked: 0, rest: null };

/** A move that is under way takes the new span as well. */
function sessionStep(
  ctx: Context,
  facts: Facts,
  { move, waiting }: { move: SessionMove; waiting: DueRow | undefined },
  transaction: ClientSession,
): Step {
  const { client_session, span } = move;
  const find: Step['find'] = async (limits) => {
    if (waiting) {
      const { from, until } = waiting as DueRow & DueSessionMove;
      const fromMs = Math.min(span.fromMs, from.getTime());
      const untilMs = Math.max(span.untilMs, until.getTime());
      const due = dueSession(ctx, facts.orgId, client_session, { fromMs, untilMs }, null);
      return { found: NONE_FOUND, due };
    }
    const found = await findSessionMoves(ctx, facts, move, limits, transaction);
    const due = found.rest ? dueSession(ctx, facts.orgId, client_session, span, found.rest) : NO_PLAN;
    return { found, due };
  };
  return { cause: 'context', find };
}

/** A move that is under way begins at the new boundary where that is earlier. */
function branchStep(
  ctx: Context,
  facts: Facts,
  { branch, move, waiting }: { branch: string; move: BranchMove; waiting: DueRow | undefined },
  transaction: ClientSession,
): Step {
  const find: Step['find'] = async (limits) => {
    if (waiting) {
      const { from } = waiting as DueRow & DueBranchMove;
      const fromMs = Math.min(move.fromMs, from.getTime());
      return { found: NONE_FOUND, due: dueBranch(ctx, facts.orgId, branch, { ...move, fromMs }) };
    }
    const found = await findBranchMoves(ctx, facts, move, limits, transaction);
    return { found, due: found.rest ? dueBranch(ctx, facts.orgId, branch, move) : NO_PLAN };
  };
  return { cause: 'boundary', find };
}

/** The plan that has a worker look at the calls of a client session: those of a span, after the last that is done. */
export function dueSession(
  ctx: Context,
  orgId: string,
  client_session: string,
  span: { fromMs: number; untilMs: number },
  last: FoundMoves['rest'],
): Plan {
  const details: DueSessionMove = {
    from: last?.ts ?? dateAt(span.fromMs),
    after: last?._id ?? '',
    until: dateAt(span.untilMs),
  };
  const key = client_session;
  return setDue<DueSessionMove>(moveSessionCallsJob, { key, orgId, dueMs: ctx.clock.now(), details });
}

/** The plan that has a worker look at the calls of a branch. */
export function dueBranch(
  ctx: Context,
  orgId: string,
  key: string,
  { repository, branch_hash, fromMs }: BranchMove,
): Plan {
  const details: DueBranchMove = { repository, branch_hash, from: dateAt(fromMs) };
  return setDue<DueBranchMove>(moveBranchCallsJob, { key, orgId, dueMs: ctx.clock.now(), details });
}

/** The moves that are under way, by the ids of their due rows. */
async function findDue(
  ctx: Context,
  { sessions, branches }: { sessions: readonly string[]; branches: readonly string[] },
  transaction: ClientSession,
): Promise<ReadonlyMap<string, DueRow>> {
  const idOf = (job: DueJob) => (key: string) => dueId(job, key);
  const ids = [...sessions.map(idOf(moveSessionCallsJob)), ...branches.map(idOf(moveBranchCallsJob))];
  const rows = await findByIds(dueRows(ctx), ids, transaction);
  return new Map(rows.map((row) => [row._id, row]));
}
