import type { ClientSession } from 'mongoose';
import type { NewEvent } from '../../events/new-event.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { joinPlans, NO_PLAN, type Plan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { updateRow } from '../../platform/mongo/writes.ts';
import { planEvents } from '../../webhooks/deliveries/plan-events.ts';
import { findSubscribers } from '../../webhooks/endpoints/find-subscribers.ts';
import { BUCKETS } from '../buckets.ts';
import { plansOf } from '../meter/plans.ts';
import { type CreditAccount, creditAccountRows, creditAlertRows, type LedgerRow } from '../model.ts';
import {
  CREDIT_LEVELS,
  type CreditAlerts,
  type CreditLevel,
  crosses,
  crossingsOf,
  type LedgerStep,
  levelsOf,
  stepsOf,
  totalOf,
} from './credit-levels.ts';

const NO_ALERTS: CreditAlerts = { low: false, depleted: false };

/**
 * The plan of `credit.low` and `credit.depleted`, for the transaction that writes these rows: an account falls to a level
 * once, because a row is written once. Rows that cross no level, which nearly all are, ask the store nothing.
 */
export async function planCreditEvents(
  ctx: Context,
  rows: readonly LedgerRow[],
  transaction: ClientSession,
): Promise<Plan> {
  const crossing = findCrossings(ctx, rows);
  if (crossing.size === 0) return NO_PLAN;
  const ids = { _id: { $in: [...crossing.keys()] } };
  const accounts = await creditAccountRows(ctx).find(ids, { session: transaction }).toArray();
  const known = await creditAlertRows(ctx).find(ids, { session: transaction }).toArray();
  const alertsOf = new Map<string, CreditAlerts>(known.map(({ _id, ...alerts }) => [_id, alerts]));
  const decided = accounts.map((account) =>
    decide(ctx, account, crossing.get(account._id) ?? [], alertsOf.get(account._id) ?? NO_ALERTS),
  );
  const byOrganization = Map.groupBy(
    decided.flatMap(({ events }) => events),
    ({ org_id }) => org_id,
  );
  const plans: Plan[] = [{ writes: decided.flatMap(({ writes }) => writes), wakeUps: [] }];
  for (const [orgId, events] of byOrganization) {
    const subscribers = await findSubscribers(ctx, orgId, transaction);
    plans.push(planEvents(events, subscribers, ctx.clock.now()));
  }
  return joinPlans(...plans);
}

/** The rows of accounts one of whose rows crosses a level of some plan, with the credits before and after each. */
function findCrossings(ctx: Context, rows: readonly LedgerRow[]): Map<string, LedgerStep[]> {
  const levels = Object.values(plansOf(ctx)).flatMap((plan) => Object.values(levelsOf(plan)));
  const byAccount = [...Map.groupBy(rows, ({ account_id }) => account_id)].map(
    ([accountId, own]) => [accountId, stepsOf(own)] as const,
  );
  return new Map(
    byAccount.filter(([, steps]) => steps.some((step) => levels.some((level) => crosses(step, level)))),
  );
}

function decide(ctx: Context, account: CreditAccount, steps: readonly LedgerStep[], known: CreditAlerts) {
  const { crossings, alerts } = crossingsOf(steps, levelsOf(plansOf(ctx)[account.plan]), known);
  const isChanged = CREDIT_LEVELS.some((level) => alerts[level] !== known[level]);
  const events = crossings.map(({ step, level }) => eventOf(account, step, level));
  const writes = isChanged
    ? [updateRow(creditAlertRows, { _id: account._id }, { $set: alerts }, { upsert: true })]
    : [];
  return { events, writes };
}

function eventOf(
  { _id, org_id, user_id }: CreditAccount,
  { row, after }: LedgerStep,
  level: CreditLevel,
): NewEvent {
  const balances = Object.fromEntries(BUCKETS.map((bucket, index) => [bucket, after[index] ?? 0]));
  return {
    type: `credit.${level}`,
    cause: [_id, row.seq],
    org_id,
    ts: dateAt(row.created_at * 1_000),
    data: { user_id, total: totalOf(after), balances },
  };
}
