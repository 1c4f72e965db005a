import type { ClientSession } from 'mongoose';
import { dateAt } from '../platform/basics/clock.ts';
import type { Context } from '../platform/context/context.ts';
import type { CountedBudget } from './evaluate-alerts.ts';
import { type BudgetEvaluation, budgetEvaluationRows } from './model.ts';
import { type LogPosition, loggedSince, readPeopleLogs } from './people-log.ts';
import {
  type CountedWindow,
  countedBudgets,
  findPersonWindows,
  readPersonWindows,
  windowsByCounter,
} from './read-windows.ts';
import type { Rules } from './rules.ts';

/** How far an evaluation has come with the people of templates. */
interface EvaluatedPeople {
  logged: LogPosition;
  /** When somebody who is not read now may pass a limit by forecast; null: nobody. Epoch ms. */
  forecastMs: number | null;
}

/** The fields of an evaluation's row that say how far people are evaluated. */
export type Progress = Pick<BudgetEvaluation, 'version' | 'logged' | 'forecast_at'>;

/**
 * Reads what an evaluation looks at: all budgets with their windows that end at `earliest` or later, of templates only the people
 * whose windows have changed since the evaluation before. Everybody is read after a change of the rules, and when a forecast may
 * pass a limit.
 */
export async function readEvaluated(
  ctx: Context,
  rules: Rules,
  earliest: Date,
  transaction: ClientSession,
): Promise<{ counted: CountedBudget[]; people: EvaluatedPeople | null }> {
  const open = { window_end: { $gte: earliest } };
  const byCounter = new Map(await windowsByCounter(ctx, rules, open, transaction));
  if (!rules.budgets.some(({ budget }) => budget.per))
    return { counted: countedBudgets(rules, byCounter, ctx.clock.now()), people: null };
  const orgId = rules.organization._id;
  const before = await budgetEvaluationRows(ctx).findOne({ _id: orgId }, { session: transaction });
  const log = (await readPeopleLogs(ctx, [orgId], transaction)).get(orgId);
  if (!log) throw new Error('unreachable: each organization that is asked for has a log');
  const forecastMs = before?.forecast_at?.getTime() ?? null;
  const isSame = before?.version === rules.version && (forecastMs === null || ctx.clock.now() < forecastMs);
  const changed = isSame ? loggedSince(log, before?.logged ?? []) : null;
  const windows = changed
    ? await findPersonWindows(ctx, orgId, [...new Set(changed.flat())], transaction)
    : await readPersonWindows(ctx, { org_id: orgId, ...open }, transaction);
  const due = windows.filter(({ interval }) => interval.endMs >= earliest.getTime());
  for (const [counter, own] of Map.groupBy(due, byCounterKey)) byCounter.set(counter, own);
  const people = { logged: log.position, forecastMs: changed ? forecastMs : null };
  return { counted: countedBudgets(rules, byCounter, ctx.clock.now()), people };
}

function byCounterKey({ counter }: CountedWindow): string {
  return counter;
}

/** The progress after an evaluation by these rules; everybody is evaluated again at `nextMs`. Pure. */
export function progressOf({ version }: Rules, { logged }: EvaluatedPeople, nextMs: number | null): Progress {
  return { version, logged, forecast_at: nextMs === null ? null : dateAt(nextMs) };
}
