import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { BUDGET_WARNING_RATIO } from '../../../../platform/basics/contract.ts';
import { joinPlans, NO_PLAN, type Plan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { type Claim, claimDue, endClaim, finishClaim } from '../../../../platform/due/claim-due.ts';
import { setDue } from '../../../../platform/due/plan-due.ts';
import { secondShard } from '../../../../platform/mongo/counter-shards.ts';
import { insertRow, updateRow } from '../../../../platform/mongo/writes.ts';
import { eventIdOf, type NewEvent } from '../../../events/record/new-event.ts';
import { planEvents } from '../../../events/webhooks/deliveries/plan-events.ts';
import type { Subscriber, Subscribers } from '../../../events/webhooks/endpoints/find-subscribers.ts';
import { firingOf } from '../count/plan-history.ts';
import {
  type CountedWindow,
  countedBudgets,
  readChangedPeople,
  windowsByCounter,
} from '../count/read-windows.ts';
import { addressOf } from '../rules/concerns.ts';
import { evaluateBudget, type LevelReached } from '../rules/evaluate.ts';
import { asksForAlerts, type CountedBudget, nextForecastMs } from '../rules/evaluate-alerts.ts';
import { type BudgetEvaluation, budgetEvaluationRows, budgetFiringRows } from '../rules/fired.ts';
import { type DueEvaluation, evaluateBudgetsJob } from '../rules/jobs.ts';
import { firingCause, levelOf } from '../rules/keys.ts';
import { commitByRules, guardedSubscribers, type OrganizationRules, type Rules } from '../rules/rules.ts';
import { shownExact, thresholdOf } from '../rules/view.ts';
import { findFirings, splitCarriedLevels } from './find-firings.ts';
import { planOwnerMails } from './mail-owner.ts';
import { planBeside, sendAlerts } from './send-alerts.ts';
import { withBudgetWords } from './with-budget-words.ts';

/**
 * Evaluates every budget of an organization whose usage has changed. It fires each level that was reached, once per budget,
 * window, level and revision, and then sends the alerts that webhooks asked for. Its cost depends on the number of budgets,
 * not of signals. Returns how many events it raised; repeating it raises none.
 */
export async function evaluateDue(ctx: Context, orgId: string): Promise<number> {
  const claim = await claimDue<DueEvaluation>(ctx, evaluateBudgetsJob, orgId, (rows) => ({
    earliest_window_end: dateAt(Math.min(...rows.map((row) => row.earliest_window_end.getTime()))),
  }));
  if (!claim) return 0;
  const { fired, progress, ...evaluated } = await fireLevels(ctx, orgId, claim);
  if (evaluated.asking.length === 0) return fired;
  const sent = await sendAlerts(ctx, orgId, evaluated);
  if (progress) await budgetEvaluationRows(ctx).updateOne({ _id: orgId }, { $set: progress });
  await endClaim(ctx, claim);
  return fired + sent;
}

interface Evaluated {
  /** How many levels have fired. */
  fired: number;
  /** The webhooks that ask for alerts. */
  asking: readonly Subscriber[];
  counted: readonly CountedBudget[];
  /** How far the people of templates are evaluated when their alerts are sent. */
  progress: Progress | null;
}

/** One snapshot, one transaction. The claim ends with it, unless there are alerts to send. */
async function fireLevels(ctx: Context, orgId: string, claim: Claim<DueEvaluation>): Promise<Evaluated> {
  return commitByRules(ctx, orgId, { shardOf: secondShard }, async ({ rules, shard }, transaction) => {
    const nowMs = ctx.clock.now();
    const { counted, people } = await readEvaluated(ctx, rules, claim.earliest_window_end, transaction);
    const reached = counted.flatMap(({ budget, windows }) => evaluateBudget(budget, windows, nowMs));
    const subscribers = guardedSubscribers(rules, shard);
    const firings = await planFirings(
      ctx,
      { reached, counted, subscribers, limits: rules.limits },
      transaction,
    );
    const asking = rules.subscribers.filter(asksForAlerts);
    const nextMs = earliest(nextForecastMs(rules.subscribers, counted, nowMs), people?.forecastMs);
    const progress = people && progressOf(rules, people, nextMs);
    // Alerts that are lost on the way are found again only if their people are still to be evaluated.
    const isLast = asking.length === 0;
    const evaluated = updateRow(
      budgetEvaluationRows,
      { _id: orgId },
      {
        $max: { evaluated_at: dateAt(nowMs) },
        $inc: { touches: 1 },
        ...(progress && isLast ? { $set: progress } : {}),
      },
      { upsert: true },
    );
    const finished = isLast ? [finishClaim(claim)] : [];
    const plan = joinPlans(firings.plan, planNextEvaluation(orgId, nextMs), {
      writes: [evaluated, ...finished],
    });
    return { ...plan, result: { fired: firings.count, asking, counted, progress } };
  });
}

function earliest(...times: readonly (number | null | undefined)[]): number | null {
  const known = times.filter((time): time is number => typeof time === 'number');
  return known.length === 0 ? null : Math.min(...known);
}

/** The plan of another evaluation at the moment from which a forecast may pass its limit, if there is one. */
function planNextEvaluation(orgId: string, dueMs: number | null): Plan {
  if (dueMs === null) return NO_PLAN;
  const details = { earliest_window_end: dateAt(dueMs) };
  return setDue<DueEvaluation>(evaluateBudgetsJob, { key: orgId, orgId, dueMs, details });
}

interface Reached {
  reached: readonly LevelReached[];
  counted: readonly CountedBudget[];
  subscribers: Subscribers;
  limits: Rules['limits'];
}

async function planFirings(
  ctx: Context,
  { reached, counted, subscribers, limits }: Reached,
  transaction: ClientSession,
): Promise<{ plan: Plan; count: number }> {
  const firedOf = await findFirings(ctx, reached, transaction);
  const unfired = reached.filter((level) => firedOf(level).holding === null);
  if (unfired.length === 0) return { plan: NO_PLAN, count: 0 };
  const nowMs = ctx.clock.now();
  const { fresh, carried } = await splitCarriedLevels(ctx, unfired, counted, transaction);
  const kept = carried.map((level) => {
    const row = firingOf(level, firedOf(level).reversals, dateAt(nowMs), null);
    return insertRow(budgetFiringRows, { ...row, is_carried: true });
  });
  const planned = fresh.map((level) => {
    const { reversals } = firedOf(level);
    const warned = firedOf({ ...level, level: 'warning' }).holding;
    // Another worker's clock may be ahead: exceeded is never earlier than its warning.
    const at = dateAt(Math.max(nowMs, warned?.fired_at.getTime() ?? 0));
    const event = eventOf(level, reversals, at);
    const firing = insertRow(budgetFiringRows, firingOf(level, reversals, at, eventIdOf(event)));
    return { event, used: level, firing };
  });
  const { webhooks } = subscribers;
  const beside = await planBeside(ctx, fresh, { counted, webhooks }, transaction);
  const raised = [...planned, ...beside.raised];
  const spoken = await withBudgetWords(ctx, raised, { limits, webhooks }, transaction);
  const mails = await planOwnerMails(ctx, planned, transaction);
  const writes = [...kept, ...planned.map(({ firing }) => firing), ...beside.writes];
  const plan = joinPlans({ writes }, planEvents(spoken, subscribers, nowMs), mails);
  return { plan, count: raised.length };
}

/** The event of a level that was reversed so many times, with the payload of its type. */
function eventOf({ budget, interval, level, current }: LevelReached, reversals: number, ts: Date): NewEvent {
  const { _id, name, scope, scope_id, metric, window, org_id } = budget;
  const cause = firingCause(budget, interval.startMs, level, reversals);
  const amounts = { threshold: thresholdOf(budget), current: shownExact(budget, current) };
  const target = { scope, scope_id };
  const named = { budget_id: _id, budget_name: name };
  const of = levelOf(budget, interval);
  const raised = { cause, org_id, ts, ...addressOf(budget, ts.getTime()) };
  if (level === 'exceeded') {
    const data = { ...named, ...target, ...amounts, window, metric };
    return { type: 'budget.exceeded', ...raised, data, level: { of, rank: 100 } };
  }
  const rank = BUDGET_WARNING_RATIO.numerator * (100 / BUDGET_WARNING_RATIO.denominator);
  const event: NewEvent = { type: 'budget.warning', ...raised, data: {}, level: { of, rank } };
  return { ...event, data: { ...named, ...amounts, ...target, event_id: eventIdOf(event) } };
}

/** How far an evaluation has come with the people of templates. */
interface EvaluatedPeople {
  newestMs: number;
  /** When somebody who is not read now may pass a limit by forecast; null: nobody. Epoch ms. */
  forecastMs: number | null;
}

/** The fields of an evaluation's row that say how far people are evaluated. */
type Progress = Pick<BudgetEvaluation, 'version' | 'people_ms' | 'forecast_at'>;

/**
 * Reads what an evaluation looks at: all budgets with their windows that end at `earliest` or later, of templates only the people
 * whose windows have changed since the evaluation before. Everybody is read after a change of the rules, and when a forecast may
 * pass a limit.
 */
async function readEvaluated(
  ctx: Context,
  rules: Rules,
  earliest: Date,
  transaction: ClientSession,
): Promise<{ counted: CountedBudget[]; people: EvaluatedPeople | null }> {
  const orgId = rules.organization._id;
  const { budgets } = rules.limits;
  const open = { window_end: { $gte: earliest } };
  const byCounter = new Map(await windowsByCounter(ctx, orgId, budgets, open, transaction));
  if (!budgets.some(({ budget }) => budget.per))
    return { counted: countedBudgets(budgets, byCounter, ctx.clock.now()), people: null };
  const before = await budgetEvaluationRows(ctx).findOne({ _id: orgId }, { session: transaction });
  const forecastMs = before?.forecast_at?.getTime() ?? null;
  const isSame = before?.version === rules.version && (forecastMs === null || ctx.clock.now() < forecastMs);
  const sinceMs = (isSame && before.people_ms) || null;
  const { windows, newestMs } = await readChangedPeople(ctx, orgId, { earliest, sinceMs }, transaction);
  for (const [counter, own] of Map.groupBy(windows, byCounterKey)) byCounter.set(counter, own);
  const people = { newestMs, forecastMs: sinceMs === null ? null : forecastMs };
  return { counted: countedBudgets(budgets, byCounter, ctx.clock.now()), people };
}

function byCounterKey({ counter }: CountedWindow): string {
  return counter;
}

/** The progress after an evaluation by these rules; everybody is evaluated again at `nextMs`. Pure. */
function progressOf(
  { version }: OrganizationRules,
  { newestMs }: EvaluatedPeople,
  nextMs: number | null,
): Progress {
  return { version, people_ms: newestMs, forecast_at: nextMs === null ? null : dateAt(nextMs) };
}
