import type { ClientSession } from 'mongoose';
import type { Context } from '../platform/context/context.ts';
import { findByIds } from '../platform/mongo/find-by-ids.ts';
import type { LevelReached } from './evaluate.ts';
import { firingKey } from './keys.ts';
import { type BudgetFiring, budgetFiringRows } from './model.ts';

/** A level of a budget in a window. */
export type Level = Pick<LevelReached, 'budget' | 'interval' | 'level'>;

/** The record of a level. */
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

/** The primary key of the first firing of a level, which counts its reversals. */
export function firstKey(level: Level): string {
  return levelKey(level, 0);
}

function levelKey({ budget, interval, level }: Level, reversals: number): string {
  return firingKey(budget, interval.startMs, level, reversals);
}

async function findRows(
  ctx: Context,
  ids: readonly string[],
  transaction: ClientSession,
): Promise<Map<string, BudgetFiring>> {
  const rows = await findByIds(budgetFiringRows(ctx), ids, transaction);
  return new Map(rows.map((row) => [row._id, row]));
}
