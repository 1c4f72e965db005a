import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../platform/basics/clock.ts';
import { joinPlans, NO_PLAN, type Plan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { updateRow } from '../../../platform/mongo/writes.ts';
import type { NewEvent } from '../../events/record/new-event.ts';
import { planEvents } from '../../events/webhooks/deliveries/plan-events.ts';
import { withWords } from '../../events/webhooks/deliveries/with-words.ts';
import { findSubscribers } from '../../events/webhooks/endpoints/find-subscribers.ts';
import { BUCKETS, type Bucket, type Reason } from '../buckets.ts';
import { type PlanCredits, plansOf } from '../meter/plans.ts';
import { type CreditAccount, creditAccountRows, creditAlertRows, type LedgerRow } from '../model.ts';

const NO_ALERTS: CreditAlerts = { low: false, depleted: false };

/**
 * The plan of `credit.low` and `credit.depleted`, for the transaction that writes these rows: an account falls to a level
 * once, because a row is written once. Rows that cross no level and lift no total, which nearly all are, ask the store nothing.
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
    const spoken = await withWords(ctx, events, subscribers.webhooks, transaction);
    plans.push(planEvents(spoken, subscribers, ctx.clock.now()));
  }
  return joinPlans(...plans);
}

/** The rows of accounts one of whose rows crosses a level of some plan or arms alerts, with the credits before and after each. */
function findCrossings(ctx: Context, rows: readonly LedgerRow[]): Map<string, LedgerStep[]> {
  const levels = Object.values(plansOf(ctx)).flatMap((plan) => Object.values(levelsOf(plan)));
  const byAccount = [...Map.groupBy(rows, ({ account_id }) => account_id)].map(
    ([accountId, own]) => [accountId, stepsOf(own)] as const,
  );
  return new Map(
    byAccount.filter(([, steps]) =>
      steps.some((step) => isLift(step.row) || levels.some((level) => crosses(step, level))),
    ),
  );
}

function decide(ctx: Context, account: CreditAccount, steps: readonly LedgerStep[], known: CreditAlerts) {
  const plan = plansOf(ctx)[account.plan];
  const { crossings, alerts } = crossingsOf(steps, plan, known);
  const isChanged = CREDIT_LEVELS.some((level) => alerts[level] !== known[level]);
  const events = crossings.map(({ step, level }) =>
    eventOf(account, step.row, creditsLeft(step, plan), level),
  );
  const writes = isChanged
    ? [updateRow(creditAlertRows, { _id: account._id }, { $set: alerts }, { upsert: true })]
    : [];
  return { events, writes };
}

function eventOf(
  { _id, org_id, user_id }: CreditAccount,
  row: LedgerRow,
  left: Credits,
  level: CreditLevel,
): NewEvent {
  const balances = Object.fromEntries(BUCKETS.map((bucket, index) => [bucket, left[index] ?? 0]));
  return {
    type: `credit.${level}`,
    cause: [_id, row.seq],
    org_id,
    ts: dateAt(row.created_at * 1_000),
    concerns: { people: [user_id] },
    data: { user_id, total: totalOf(left), balances },
  };
}

/** Credits of an account by bucket, in the order of `BUCKETS`. */
type Credits = readonly number[];

interface LedgerStep {
  row: LedgerRow;
  before: Credits;
  after: Credits;
  /** The buckets whose period was over by then. */
  over: readonly Bucket[];
}

/** Levels that the total of an account falls to, in the order in which it reaches them. */
const CREDIT_LEVELS = ['low', 'depleted'] as const;
type CreditLevel = (typeof CREDIT_LEVELS)[number];

/** The alerts of an account per level: true since its total fell to the level, until something lifts it above. */
type CreditAlerts = Record<CreditLevel, boolean>;

/** Reasons that arm an alert again. A refund does not: the fall that it undoes was reported already. */
const REARMING: ReadonlySet<Reason> = new Set([
  'credit.grant',
  'credit.purchase',
  'window.reset',
  'monthly.reset',
  'credit.adjust',
]);

/** True for a row that lifts the total, however high it was. */
function isLift({ reason, delta }: LedgerRow): boolean {
  return REARMING.has(reason) && delta >= 0;
}

/** The credits that the next spend finds: a bucket whose period is over counts as full. */
function creditsLeft({ after, over }: LedgerStep, plan: PlanCredits): Credits {
  const full: Credits = [plan.window_credits, plan.monthly_credits];
  return after.map((credits, at) =>
    over.some((bucket) => bucket === BUCKETS[at]) ? (full[at] ?? 0) : credits,
  );
}

function totalOf(credits: Credits): number {
  return credits.reduce((sum, credit) => sum + credit, 0);
}

/** Totals at or below which a level is reached: a tenth of what the plan gives at once, at least 1, and 0. */
function levelsOf({ window_credits, monthly_credits }: PlanCredits): Record<CreditLevel, number> {
  return { low: Math.max(1, Math.floor((window_credits + monthly_credits) / 10)), depleted: 0 };
}

/** True when a row takes the total over a level, up or down. */
function crosses({ before, after }: LedgerStep, level: number): boolean {
  return totalOf(before) > level !== totalOf(after) > level;
}

/**
 * The levels that an account falls to by these rows, each with its row, and the alerts after them. A level is reported once
 * until something lifts the total above it. Pure.
 */
function crossingsOf(
  steps: readonly LedgerStep[],
  plan: PlanCredits,
  known: CreditAlerts,
): { crossings: { step: LedgerStep; level: CreditLevel }[]; alerts: CreditAlerts } {
  const levels = levelsOf(plan);
  const alerts: CreditAlerts = { ...known };
  const crossings = steps.flatMap((step) =>
    CREDIT_LEVELS.flatMap((level) => {
      const isAbove = totalOf(step.after) > levels[level];
      if (isAbove && isLift(step.row)) alerts[level] = false;
      const isFall =
        !isAbove && crosses(step, levels[level]) && totalOf(creditsLeft(step, plan)) <= levels[level];
      if (!isFall || alerts[level]) return [];
      alerts[level] = true;
      return [{ step, level }];
    }),
  );
  return { crossings, alerts };
}

/** The rows of one account, in their order, each with the credits before and after it. Pure. */
function stepsOf(rows: readonly LedgerRow[]): LedgerStep[] {
  const steps: LedgerStep[] = [];
  let left: Credits | undefined;
  let over: readonly Bucket[] = [];
  for (const row of rows.toReversed()) {
    const after: Credits | undefined = row.balance ?? left;
    // A release before this one wrote no balance for some of the last rows that it left.
    if (!after) continue;
    // The last of the rows that were written together says it for all of them.
    if (row.balance) over = row.over ?? [];
    left = after.map((credits, at) => (BUCKETS[at] === row.bucket ? credits - row.delta : credits));
    steps.push({ row, before: left, after, over });
  }
  return steps.reverse();
}
