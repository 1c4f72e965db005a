import type { ClientSession } from 'mongoose';
import type { NewEvent } from '../../events/new-event.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { joinPlans, NO_PLAN, type Plan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { updateRow } from '../../platform/mongo/writes.ts';
import { planEvents } from '../../webhooks/deliveries/plan-events.ts';
import { findSubscribers } from '../../webhooks/endpoints/find-subscribers.ts';
import { BUCKETS, type CreditAccount, creditAccountRows } from '../meter/model.ts';
import { plansOf } from '../meter/plans.ts';
import {
  CREDIT_LEVELS,
  type CreditAlerts,
  type CreditLevel,
  type Credits,
  crosses,
  fallsOf,
  type LedgerStep,
  levelsOf,
  plus,
  stepsOf,
  totalOf,
} from './credit-levels.ts';
import { findBefore } from './find-before.ts';
import { creditAlertRows, type LedgerRow, ledgerRows } from './model.ts';

const NONE: Credits = BUCKETS.map(() => 0);

/**
 * The plan of `credit.low` and `credit.depleted`, for the transaction that writes these rows: an account falls to a level
 * once, because a row is written once. Rows that cross no level, which nearly all are, ask the store nothing.
 */
export async function planCreditEvents(
  ctx: Context,
  rows: readonly LedgerRow[],
  transaction: ClientSession,
): Promise<Plan> {
  const crossing = await findCrossings(ctx, rows, transaction);
  if (crossing.size === 0) return NO_PLAN;
  const ids = { _id: { $in: [...crossing.keys()] } };
  const accounts = await creditAccountRows(ctx).find(ids, { session: transaction }).toArray();
  const known = await creditAlertRows(ctx).find(ids, { session: transaction }).toArray();
  const alertsOf = new Map(known.map((row) => [row._id, row]));
  const decided = accounts.map((account) =>
    decide(ctx, account, crossing.get(account._id) ?? [], alertsOf.get(account._id) ?? {}),
  );
  const byOrganization = Map.groupBy(
    decided.flatMap(({ events }) => events),
    ({ org_id }) => org_id,
  );
  const plans: Plan[] = [{ writes: decided.flatMap(({ writes }) => writes), wakeUps: [] }];
  for (const [orgId, events] of byOrganization) {
    const subscribers = await findSubscribers(ctx, orgId, transaction);
    plans.push(await planEvents(events, subscribers, ctx.clock.now()));
  }
  return joinPlans(...plans);
}

/** The rows of accounts one of whose rows crosses a level of some plan, with the credits before and after each. */
async function findCrossings(
  ctx: Context,
  rows: readonly LedgerRow[],
  transaction: ClientSession,
): Promise<Map<string, LedgerStep[]>> {
  const levels = new Set(Object.values(plansOf(ctx)).flatMap((plan) => Object.values(levelsOf(plan))));
  const found = new Map<string, LedgerStep[]>();
  for (const [accountId, own] of Map.groupBy(rows, ({ account_id }) => account_id)) {
    for (const part of withoutGaps(own)) {
      const steps =
        stepsOf(part, null) ?? stepsOf(part, await creditsBefore(ctx, part[0], transaction)) ?? [];
      const isCrossing = steps.some((step) => [...levels].some((level) => crosses(step, level)));
      if (isCrossing) found.set(accountId, [...(found.get(accountId) ?? []), ...steps]);
    }
  }
  return found;
}

/** Rows that are in the ledger already are not among those that are written. */
function withoutGaps(rows: readonly LedgerRow[]): LedgerRow[][] {
  const parts: LedgerRow[][] = [];
  for (const row of rows.toSorted((a, b) => a.seq - b.seq)) {
    const last = parts.at(-1);
    if (last?.at(-1)?.seq === row.seq - 1) last.push(row);
    else parts.push([row]);
  }
  return parts;
}

/** The credits of an account before a row of it: what its last spend before left, and what came since. */
async function creditsBefore(
  ctx: Context,
  row: LedgerRow | undefined,
  transaction: ClientSession,
): Promise<Credits> {
  if (!row || row.seq === 1) return NONE;
  const { account_id, seq } = row;
  const spent = await findBefore(ctx, row, { balance: { $exists: true } }, transaction);
  const since = await ledgerRows(ctx)
    .find({ account_id, seq: { $gt: spent?.seq ?? 0, $lt: seq } }, { session: transaction })
    .project<Pick<LedgerRow, 'bucket' | 'delta'>>({ bucket: 1, delta: 1 })
    .toArray();
  return since.reduce((credits, each) => plus(credits, each, 1), (spent?.balance ?? NONE) as Credits);
}

function decide(ctx: Context, account: CreditAccount, steps: readonly LedgerStep[], known: CreditAlerts) {
  const { falls, alerts } = fallsOf(steps, levelsOf(plansOf(ctx)[account.plan]), known);
  const isChanged = CREDIT_LEVELS.some((level) => (alerts[level] ?? false) !== (known[level] ?? false));
  const state = { low: alerts.low ?? false, depleted: alerts.depleted ?? false };
  const events = falls.map(({ step, level }) => eventOf(account, step, level));
  const writes = isChanged
    ? [updateRow(creditAlertRows, { _id: account._id }, { $set: state }, { upsert: true })]
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
