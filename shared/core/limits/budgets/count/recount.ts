import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { CLOSED_WINDOW_FIRES_MS } from '../../../../platform/basics/contract.ts';
import { joinPlans, NO_PLAN, type Plan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import {
  applyWrites,
  deleteRows,
  insertRow,
  updateRow,
  type Write,
} from '../../../../platform/mongo/writes.ts';
import type { Organization } from '../../../accounts/organizations/model.ts';
import { readOrganization } from '../../../accounts/organizations/read-organization.ts';
import { teamsByUser } from '../../../accounts/organizations/teams.ts';
import { takeOrganizationRules } from '../../../accounts/organizations/versions.ts';
import { budgetWindowRows, type CounterKey, personWindowRows, STAMPED } from '../rules/counted.ts';
import { counterKey, personRowKey, personWindowKey, windowKey } from '../rules/keys.ts';
import { type Budget, budgetRows } from '../rules/model.ts';
import { planRuleChange } from '../rules/plan-evaluation.ts';
import { readExceptions } from '../rules/read-exceptions.ts';
import { windowAt } from '../rules/windows.ts';
import { type CountedPeople, type CountedWindow, countSince, type TeamsOf } from './count-windows.ts';
import { planCountedHistory } from './plan-history.ts';
import { readPersonWindows, readWindows } from './read-windows.ts';

/** The windows that a recount found, and the writes that put them in place of the counter's former ones. */
export interface Recount {
  /** The moment from which they count, epoch ms. */
  fromMs: number;
  windows: readonly CountedWindow[];
  writes: readonly Write[];
}

/**
 * Counts every window of a counter that may still fire, from the rollups. Earlier ones stay as they were. A team is the
 * members that it has in `teamsOf`, or now. Exact in a transaction that raises the organization's version (`planRuleChange`).
 */
export async function recountCounter(
  ctx: Context,
  organization: Organization,
  counter: CounterKey,
  transaction: ClientSession,
  { teamsOf, person }: CountedPeople = {},
): Promise<Recount> {
  const org_id = organization._id;
  await applyWrites(ctx, takeOrganizationRules(org_id), transaction);
  const first = windowAt(counter, ctx.clock.now() - CLOSED_WINDOW_FIRES_MS);
  const counted = { counter, sinceMs: first.startMs, teamsOf, person };
  const { fromMs, windows } = await countSince(ctx, organization, counted, transaction);
  const key = { org_id, counter: counterKey(counter) };
  const cleared = { ...key, window_start: { $gte: dateAt(first.startMs) } };
  if (!counter.per)
    return {
      fromMs,
      windows,
      writes: [deleteRows(budgetWindowRows, cleared), ...windows.map((window) => windowRow(key, window))],
    };
  const own = person === undefined ? {} : { person };
  return {
    fromMs,
    windows,
    writes: [
      deleteRows(personWindowRows, { ...cleared, ...own }),
      ...windows.map((window) => windowRow(key, window)),
    ],
  };
}

/** The write of what was counted, in the first counter shard. */
function windowRow(
  { org_id, counter }: { org_id: string; counter: string },
  { interval, person, usage }: CountedWindow,
): Write {
  const { startMs, endMs } = interval;
  const row = { org_id, counter, window_start: dateAt(startMs), window_end: dateAt(endMs), ...usage };
  if (person === null)
    return insertRow(budgetWindowRows, { _id: windowKey(org_id, counter, startMs, 0), ...row });
  const _id = personRowKey(personWindowKey(org_id, counter, startMs, person), 0);
  const update = { $setOnInsert: { ...row, person }, ...STAMPED };
  return updateRow(personWindowRows, { _id, org_id }, update, { upsert: true });
}

export interface TeamChange {
  orgId: string;
  userId: string;
  before: readonly string[];
  after: readonly string[];
}

/**
 * The plan that recounts the budgets of teams that a user joins, stays in or leaves, in the transaction of that change: a team is
 * its present members, as in the usage reads. Signals that are recorded meanwhile see either the old team and its count or
 * the new.
 */
export async function planTeamChange(
  ctx: Context,
  { orgId, userId, before, after }: TeamChange,
  transaction: ClientSession,
): Promise<Plan> {
  const teams = [...new Set([...before, ...after])];
  if (teams.length === 0) return NO_PLAN;
  const change = planRuleChange(orgId, ctx.clock.now());
  const ofTeams = { org_id: orgId, scope: 'team' as const, scope_id: { $in: teams } };
  const budgets = await budgetRows(ctx).find(ofTeams, { session: transaction }).toArray();
  if (budgets.length === 0) return change;
  const organization = await readOrganization(ctx, orgId, transaction);
  const teamsOf = await teamsByUser(ctx, orgId, transaction);
  teamsOf.set(userId, [...after]);
  const writes: Write[] = [];
  for (const sharing of Map.groupBy(budgets, counterKey).values())
    writes.push(
      ...(await recountShared(ctx, organization, { budgets: sharing, teamsOf, userId }, transaction)),
    );
  return joinPlans(change, { writes });
}

/**
 * The writes that recount the one counter of these budgets, of templates only the user's windows. Changes in windows that are
 * over raise no events.
 */
async function recountShared(
  ctx: Context,
  organization: Organization,
  { budgets, teamsOf, userId }: { budgets: readonly Budget[]; teamsOf: TeamsOf; userId: string },
  transaction: ClientSession,
): Promise<Write[]> {
  // The one that reaches back longest.
  const [counter] = budgets.toSorted((a, b) => (b.rolling_days ?? 0) - (a.rolling_days ?? 0));
  if (!counter) return [];
  const nowMs = ctx.clock.now();
  const key = { org_id: organization._id, counter: counterKey(counter) };
  const before = counter.per
    ? await readPersonWindows(ctx, { ...key, person: userId }, transaction)
    : await readWindows(ctx, key, transaction);
  const only = counter.per ? { teamsOf, person: userId } : { teamsOf };
  const { fromMs, windows, writes } = await recountCounter(ctx, organization, counter, transaction, only);
  const history: Write[] = [];
  for (const budget of budgets) {
    // The days of a rolling window that it had before stay, and the windows of others of a template.
    const from = budget.window === 'rolling' || budget.per ? {} : { counted_from: dateAt(fromMs) };
    const counted = { $set: { counted_at: dateAt(nowMs), ...from } };
    history.push(updateRow(budgetRows, { _id: budget._id }, counted));
    const ruled = { budget, exceptions: await readExceptions(ctx, budget, transaction) };
    history.push(...planCountedHistory(ruled, windows, before, nowMs));
  }
  return [...writes, ...history];
}
