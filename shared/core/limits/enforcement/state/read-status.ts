import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { inTransaction } from '../../../../platform/mongo/transaction.ts';
import { type RulesVersion, readOrganizationVersions } from '../../../accounts/organizations/versions.ts';
import { readWindows } from '../../budgets/count/read-windows.ts';
import { isOfRolling } from '../../budgets/count/rolling.ts';
import { cacheRules, type Rules, readRulesOf } from '../../budgets/rules/rules.ts';
import { windowAt } from '../../budgets/rules/windows.ts';
import { type BudgetStatus, mayReserve } from './budget-status.ts';
import { type ReservationState, reservationStateRows, type Settlement, settlementRows } from './model.ts';
import { NO_PEOPLE, readPeople } from './people-usage.ts';

/** A read that takes longer has failed: its amounts would be too old. */
const DEADLINE_MS = 900;

/** An organization as one snapshot of MongoDB shows it. */
export interface StatusSnapshot {
  status: Omit<BudgetStatus, 'reserved'>;
  /** Settlements of reservations whose real cost is in the usage. */
  settlements: readonly Settlement[];
  state: Pick<ReservationState, 'epoch' | 'seq'> | null;
}

/**
 * Reads the budgets and the usage of organizations, all at one moment. It re-reads only what has changed since `known`; for an
 * idle organization that is just its version. Throws a store error.
 */
export async function readStatuses(
  ctx: Context,
  known: ReadonlyMap<string, BudgetStatus | null>,
): Promise<Map<string, StatusSnapshot>> {
  const snapshots = await inTransaction(ctx.db, (transaction) => readChanges(ctx, known, transaction), {
    deadlineMs: DEADLINE_MS,
  });
  for (const { status } of snapshots.values()) cacheRules(ctx, status.rules);
  return snapshots;
}

async function readChanges(
  ctx: Context,
  known: ReadonlyMap<string, BudgetStatus | null>,
  transaction: ClientSession,
): Promise<Map<string, StatusSnapshot>> {
  const versions = await readOrganizationVersions(ctx, [...known.keys()], transaction);
  const nowMs = ctx.clock.now();
  // A read of a clock that was ahead has left out windows that are open: everything is read again.
  const countedOf = (orgId: string) => {
    const counted = known.get(orgId);
    return counted && counted.asOfMs <= nowMs ? counted : null;
  };
  const isTouched = ([orgId, { touches }]: [string, RulesVersion]) => countedOf(orgId)?.touches !== touches;
  const rulesOf = new Map<string, Rules>();
  for (const [orgId, { version, contexts }] of versions) {
    const before = known.get(orgId)?.rules;
    const isSame = before?.version === version;
    const rules = isSame
      ? { ...before, contexts }
      : await readRulesOf(ctx, orgId, { version, contexts }, transaction);
    rulesOf.set(orgId, rules);
  }
  const touched = [...versions].filter(isTouched).map(([orgId]) => orgId);
  const counted = await readUsage(ctx, touched, rulesOf, transaction);
  const asked = touched.map((orgId) => ({
    rules: rulesOf.get(orgId) as Rules,
    known: countedOf(orgId)?.people,
  }));
  const people = await readPeople(ctx, asked, transaction);
  const statuses = [...rulesOf].map(([orgId, rules]): StatusSnapshot['status'] => {
    const before = known.get(orgId);
    const read = counted.get(orgId);
    if (!read && before) return { ...before, rules };
    const { touches = 0 } = versions.get(orgId) ?? {};
    const usage = { usage: read ?? new Map(), people: people.get(orgId) ?? NO_PEOPLE };
    return { orgId, touches, asOfMs: Math.max(nowMs, ctx.clock.now()), rules, ...usage };
  });
  const reserving = statuses.filter(({ rules }) => mayReserve(rules.limits)).map(({ orgId }) => orgId);
  const recorded = await readRecorded(ctx, reserving, transaction);
  return new Map(
    statuses.map((status) => [status.orgId, { status, ...(recorded.get(status.orgId) ?? NOTHING) }]),
  );
}

const NOTHING = { settlements: [], state: null };

/** The record of reservations of these organizations. */
async function readRecorded(
  ctx: Context,
  orgIds: readonly string[],
  transaction: ClientSession,
): Promise<Map<string, Omit<StatusSnapshot, 'status'>>> {
  if (orgIds.length === 0) return new Map();
  const settlements = await readSettlements(ctx, orgIds, transaction);
  const states = await reservationStateRows(ctx)
    .find({ _id: { $in: [...orgIds] } }, { session: transaction, projection: { epoch: 1, seq: 1 } })
    .toArray();
  const byOrganization = Map.groupBy(settlements, ({ org_id }) => org_id);
  const stateOf = new Map(states.map((state) => [state._id, state]));
  return new Map(
    orgIds.map((orgId) => [
      orgId,
      { settlements: byOrganization.get(orgId) ?? [], state: stateOf.get(orgId) ?? null },
    ]),
  );
}

/** Settlements of one read. After a full one the organizations that are missing in it are read. */
const SETTLEMENTS = 5_000;

/** Settlements of each organization that has any; the next call reads the rest of them. */
async function readSettlements(
  ctx: Context,
  orgIds: readonly string[],
  transaction: ClientSession,
): Promise<Settlement[]> {
  const found = await settlementRows(ctx)
    .find({ org_id: { $in: [...orgIds] } }, { session: transaction, limit: SETTLEMENTS })
    .toArray();
  if (found.length < SETTLEMENTS) return found;
  const seen = new Set(found.map(({ org_id }) => org_id));
  const others = orgIds.filter((orgId) => !seen.has(orgId));
  return [...found, ...(await readSettlements(ctx, others, transaction))];
}

/** The usage in windows that are open now or open later, and in the days that rolling budgets sum. */
async function readUsage(
  ctx: Context,
  orgIds: readonly string[],
  rulesOf: ReadonlyMap<string, Rules>,
  transaction: ClientSession,
): Promise<Map<string, BudgetStatus['usage']>> {
  if (orgIds.length === 0) return new Map();
  const open = { org_id: { $in: [...orgIds] }, window_end: { $gt: dateAt(ctx.clock.now()) } };
  const windows = await readWindows(ctx, open, transaction);
  for (const orgId of orgIds) windows.push(...(await readDays(ctx, rulesOf.get(orgId), transaction)));
  const byOrganization = Map.groupBy(windows, ({ org_id }) => org_id);
  return new Map(
    orgIds.map((orgId) => [orgId, Map.groupBy(byOrganization.get(orgId) ?? [], ({ counter }) => counter)]),
  );
}

/** The days before the present one that the rolling budgets of an organization sum. */
async function readDays(ctx: Context, rules: Rules | undefined, transaction: ClientSession) {
  const rolling = (rules?.limits.budgets ?? []).filter(isOfRolling);
  if (!rules || rolling.length === 0) return [];
  const nowMs = ctx.clock.now();
  const fromMs = Math.min(...rolling.map(({ budget }) => windowAt(budget, nowMs).startMs));
  const counters = [...new Set(rolling.map(({ counter }) => counter))];
  const days = { window_start: { $gte: dateAt(fromMs) }, window_end: { $lte: dateAt(nowMs) } };
  return readWindows(
    ctx,
    { org_id: rules.organization._id, counter: { $in: counters }, ...days },
    transaction,
  );
}
