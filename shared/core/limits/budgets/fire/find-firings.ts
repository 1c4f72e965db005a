import type { ClientSession } from 'mongoose';
import type { Context } from '../../../../platform/context/context.ts';
import { findByIds } from '../../../../platform/mongo/find-by-ids.ts';
import { isOfRolling } from '../count/rolling.ts';
import { noCounts } from '../rules/counted.ts';
import { amountOf, type LevelReached, levelsReached } from '../rules/evaluate.ts';
import type { CountedBudget } from '../rules/evaluate-alerts.ts';
import { type BudgetFiring, budgetFiringRows } from '../rules/fired.ts';
import { firingKey } from '../rules/keys.ts';
import { splitCarried } from './carried.ts';

export type Level = Pick<LevelReached, 'budget' | 'interval' | 'level'>;

export interface Fired {
  /** How often voided signals have taken the window below the level after it had fired. */
  reversals: number;
  /** The firing that holds; null where the level has not fired, or not again since it was reversed. */
  holding: BudgetFiring | null;
}

const NEVER: Fired = { reversals: 0, holding: null };

/** Reads the records of these levels, as of the transaction's snapshot. */
export async function findFirings(
  ctx: Context,
  levels: readonly Level[],
  transaction: ClientSession,
): Promise<(level: Level) => Fired> {
  const first = await findRows(ctx, levels.map(firstKey), transaction);
  const reversalsOf = (level: Level) => first.get(firstKey(level))?.reversals ?? 0;
  const keyOf = (level: Level) => levelKey(level, reversalsOf(level));
  const again = levels.filter((level) => reversalsOf(level) > 0).map(keyOf);
  const rows = new Map([...first, ...(await findRows(ctx, again, transaction))]);
  return (level) => {
    if (!first.has(firstKey(level))) return NEVER;
    return { reversals: reversalsOf(level), holding: rows.get(keyOf(level)) ?? null };
  };
}

/** Splits levels that have not fired in their windows: those of rolling budgets may have fired in an earlier one, and hold since. */
export async function splitCarriedLevels(
  ctx: Context,
  levels: readonly LevelReached[],
  counted: readonly CountedBudget[],
  transaction: ClientSession,
): Promise<{ fresh: LevelReached[]; carried: LevelReached[] }> {
  const rolling = new Set(levels.filter(isOfRolling).map(({ budget }) => budget._id));
  if (rolling.size === 0) return { fresh: [...levels], carried: [] };
  const rows = await budgetFiringRows(ctx)
    .find({ budget_id: { $in: [...rolling] } }, { session: transaction })
    .toArray();
  const held = rows.filter((row) => !row.reversed_at && (row.is_carried || row.event_id !== null));
  const windows = new Map(counted.map(({ budget, windows: own }) => [budget._id, own]));
  const starts = Map.groupBy(held, (row) => nameOf(row.budget_id, row));
  return splitCarried(levels, {
    nameOf: ({ budget, level }) =>
      rolling.has(budget._id) ? nameOf(budget._id, { ...budget, level }) : null,
    heldIn: new Map([...starts].map(([name, own]) => [name, own.map((row) => row.window_start.getTime())])),
    windowsOf: ({ budget }) => windows.get(budget._id) ?? [],
    heldAtOpening: ({ budget, level }, { opening }) =>
      levelsReached(amountOf(budget.metric, opening?.usage ?? noCounts()), budget.limit).includes(level),
  });
}

function nameOf(
  budgetId: string,
  { level, revision, raised }: Pick<BudgetFiring, 'level' | 'revision' | 'raised'>,
): string {
  return `${budgetId} ${revision} ${level} ${raised ?? ''}`;
}

/** The primary key of the first firing of a level, which counts its reversals. */
export function firstKey(level: Level): string {
  return levelKey(level, 0);
}

function levelKey({ budget, interval, level }: Level, reversals: number): string {
  return firingKey(budget, interval.startMs, level, reversals);
}

async function findRows(ctx: Context, ids: readonly string[], transaction: ClientSession) {
  const rows = await findByIds(budgetFiringRows(ctx), ids, transaction);
  return new Map(rows.map((row) => [row._id, row]));
}
