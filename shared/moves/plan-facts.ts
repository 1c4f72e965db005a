import type { ClientSession } from 'mongoose';
import { spanOf } from '../attribution/decide-work.ts';
import { type BoundaryRow, boundaryRows, type ContextRow, contextRows } from '../attribution/model.ts';
import { boundaryId, branchKey } from '../attribution/names.ts';
import { type Changed, type Facts, forgetChanged, storedFacts, withNew } from '../attribution/read-facts.ts';
import { cachedRules, cacheRules, type Rules } from '../budgets/rules.ts';
import { raiseOrganizationContexts } from '../organizations/versions.ts';
import { dateAt } from '../platform/basics/clock.ts';
import { type Decision, joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { type DueJob, type DueRow, dueId, dueRows } from '../platform/due/model.ts';
import { setDue } from '../platform/due/plan-due.ts';
import { findByIds } from '../platform/mongo/find-by-ids.ts';
import { insertRow } from '../platform/mongo/writes.ts';
import { type FoundMoves, findBranchMoves, findSessionMoves, MOVED_AT_ONCE } from './find-moves.ts';
import { type DueBranchMove, type DueSessionMove, moveBranchCallsJob, moveSessionCallsJob } from './jobs.ts';
import { callsMoved } from './metrics.ts';
import { planMoves } from './plan-moves.ts';

/** A moment at which a branch ends or gets another name, by the hashes of the names. */
export interface Boundary {
  repository: string;
  branch_hash: string;
  atMs: number;
  renamed_to?: string;
}

/** The effect of new contexts and boundaries. */
export interface RecordedFacts {
  orgId: string;
  /** How many calls have moved in the transaction, by cause. */
  moved: { context: number; boundary: number };
  /** True when workers move more. */
  moving: boolean;
  /** The count of contexts and boundaries after it, and what it has changed; null when it has changed nothing. */
  changed: (Changed & { contexts: number }) | null;
}

/** Call it once the transaction of `planFacts` has committed. */
export function rememberFacts(ctx: Context, { orgId, moved, changed }: RecordedFacts): void {
  if (changed === null) return;
  forgetChanged(ctx, { orgId, contexts: changed.contexts }, changed);
  const rules = cachedRules(ctx, orgId);
  if (rules?.contexts === changed.contexts - 1) cacheRules(ctx, { ...rules, contexts: changed.contexts });
  callsMoved(ctx).inc({ cause: 'context' }, moved.context);
  callsMoved(ctx).inc({ cause: 'boundary' }, moved.boundary);
}

/**
 * Plans that new contexts and boundaries are recorded, and that up to 500 calls which they concern move with them; workers move
 * the others. It conflicts with every batch of signals that does not see them. The rules are those of the transaction's snapshot.
 */
export async function planFacts(
  ctx: Context,
  rules: Rules,
  { contexts, boundaries }: { contexts: readonly ContextRow[]; boundaries: readonly Boundary[] },
  transaction: ClientSession,
): Promise<Decision<RecordedFacts>> {
  const orgId = rules.organization._id;
  const rows = await withoutKnown(ctx, orgId, boundaries, transaction);
  if (contexts.length === 0 && rows.length === 0)
    return {
      ...NO_PLAN,
      result: { orgId, moved: { context: 0, boundary: 0 }, moving: false, changed: null },
    };
  const told = Map.groupBy(contexts, ({ client_session }) => client_session);
  const ended = Map.groupBy(rows, ({ row }) => row.branch);
  const at = new Map([...ended].map(([branch, own]) => [branch, own.map(({ row }) => row.at.getTime())]));
  const stored = storedFacts(ctx, { orgId, contexts: rules.contexts }, transaction);
  const facts = withNew(stored, { told, at });
  const found = await findAll(ctx, facts, { told, ended }, transaction);
  const planned = await planMoves(ctx, rules.organization, found, transaction);
  const writes = [
    ...contexts.map((row) => insertRow(contextRows, row)),
    ...rows.map(({ row }) => insertRow(boundaryRows, row)),
    ...raiseOrganizationContexts(orgId),
    ...planned.writes,
  ];
  const changed = {
    contexts: rules.contexts + 1,
    sessions: told.keys(),
    branches: ended.keys(),
    pairs: planned.emptied,
  };
  const result = { orgId, moved: found.count, moving: found.due.writes.length > 0, changed };
  return { ...joinPlans({ writes, wakeUps: [] }, found.due), result };
}

interface NewBoundary {
  boundary: Boundary;
  row: BoundaryRow;
}

/** The boundaries that are not recorded yet, with their rows. */
async function withoutKnown(
  ctx: Context,
  org_id: string,
  boundaries: readonly Boundary[],
  transaction: ClientSession,
): Promise<NewBoundary[]> {
  if (boundaries.length === 0) return [];
  const named = new Map<string, NewBoundary>();
  for (const boundary of boundaries) {
    const { repository, branch_hash, atMs, renamed_to } = boundary;
    const branch = branchKey(ctx, org_id, repository, branch_hash);
    const to = renamed_to === undefined ? undefined : branchKey(ctx, org_id, repository, renamed_to);
    const _id = boundaryId(ctx, branch, atMs, to ?? '');
    const row = { _id, org_id, branch, at: dateAt(atMs), ...(to === undefined ? {} : { renamed_to: to }) };
    named.set(_id, { boundary, row });
  }
  const known = await findByIds(boundaryRows(ctx), [...named.keys()], transaction);
  for (const { _id } of known) named.delete(_id);
  return [...named.values()];
}

interface NewFacts {
  told: ReadonlyMap<string, readonly ContextRow[]>;
  ended: ReadonlyMap<string, readonly NewBoundary[]>;
}

interface FoundAll extends Pick<FoundMoves, 'moved' | 'others'> {
  count: RecordedFacts['moved'];
  due: Plan;
}

/** Finds what moves now, and plans the due rows of the rest: first the calls of sessions, then those of branches. */
async function findAll(
  ctx: Context,
  facts: Facts,
  { told, ended }: NewFacts,
  transaction: ClientSession,
): Promise<FoundAll> {
  const { orgId } = facts;
  const due = await findDue(ctx, { sessions: [...told.keys()], branches: [...ended.keys()] }, transaction);
  const all: FoundAll = { moved: [], others: [], count: { context: 0, boundary: 0 }, due: NO_PLAN };
  const gone = new Set<string>();
  const add = (cause: 'context' | 'boundary', { moved, others }: FoundMoves): void => {
    const fresh = moved.filter(({ call }) => !gone.has(call._id));
    for (const { call } of fresh) gone.add(call._id);
    all.count[cause] += fresh.length;
    all.moved.push(...fresh);
    all.others = [...all.others, ...others].filter(({ _id }) => !gone.has(_id));
  };
  const leave = (plan: Plan): void => {
    all.due = joinPlans(all.due, plan);
  };
  const timelines = await facts.timelines(new Set(told.keys()));
  for (const [client_session, fresh] of told) {
    const span = spanOf(timelines.get(client_session) ?? [], fresh);
    const waiting = due.get(dueId(moveSessionCallsJob, client_session)) as
      | (DueRow & DueSessionMove)
      | undefined;
    if (waiting === undefined) {
      const move = { client_session, span };
      const found = await findSessionMoves(ctx, facts, move, MOVED_AT_ONCE - all.moved.length, transaction);
      add('context', found);
      if (found.rest) leave(dueSession(ctx, orgId, client_session, span, found.rest));
    } else {
      const fromMs = Math.min(span.fromMs, waiting.from.getTime());
      const untilMs = Math.max(span.untilMs, waiting.until.getTime());
      leave(dueSession(ctx, orgId, client_session, { fromMs, untilMs }, null));
    }
  }
  for (const [branch, fresh] of ended) {
    const [{ boundary } = { boundary: null }] = fresh;
    if (boundary === null) continue;
    const { repository, branch_hash } = boundary;
    const waiting = due.get(dueId(moveBranchCallsJob, branch)) as (DueRow & DueBranchMove) | undefined;
    const times = fresh.map(({ boundary: { atMs } }) => atMs);
    const fromMs = Math.min(...times, ...(waiting ? [waiting.from.getTime()] : []));
    const move = { repository, branch_hash, fromMs };
    const most = MOVED_AT_ONCE - all.moved.length;
    const found = waiting ? null : await findBranchMoves(ctx, facts, move, most, transaction);
    if (found) add('boundary', found);
    if (found?.rest !== null) leave(dueBranch(ctx, orgId, branch, move));
  }
  return all;
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
  { repository, branch_hash, fromMs }: { repository: string; branch_hash: string; fromMs: number },
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
