import type { ClientSession } from 'mongoose';
import { raiseOrganizationContexts } from '../../../core/accounts/organizations/versions.ts';
import { cachedRules, cacheRules, type OrganizationRules } from '../../../core/limits/budgets/rules/rules.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import { type Decision, joinPlans, NO_PLAN } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import { insertRow } from '../../../platform/mongo/writes.ts';
import { type BoundaryRow, boundaryRows, type ContextRow, contextRows } from '../attribution/model.ts';
import { boundaryId, branchKey } from '../attribution/names.ts';
import { type Changed, forgetChanged, storedFacts, withNew } from '../attribution/read-facts.ts';
import { type Cause, findAllMoves } from './find-all-moves.ts';
import type { BranchMove } from './find-moves.ts';
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
  moved: Record<Cause, number>;
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
  rules: OrganizationRules,
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
  const bounded = new Map([...ended].map(([branch, own]) => [branch, moveOf(own)]));
  const stored = storedFacts(ctx, { orgId, contexts: rules.contexts }, transaction);
  const facts = withNew(stored, { told, at });
  const found = await findAllMoves(ctx, facts, { told, bounded }, transaction);
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
  return { ...joinPlans({ writes }, found.due), result };
}

interface NewBoundary {
  boundary: Boundary;
  row: BoundaryRow;
}

function moveOf(boundaries: readonly NewBoundary[]): BranchMove {
  const { repository, branch_hash, atMs } = boundaries
    .map(({ boundary }) => boundary)
    .reduce((a, b) => (b.atMs < a.atMs ? b : a));
  return { repository, branch_hash, fromMs: atMs };
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
