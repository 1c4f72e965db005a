import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { derivedId } from '../../../../platform/basics/ids.ts';
import type { Db } from '../../../../platform/mongo/connect.ts';
import { daysBefore } from '../../../../platform/mongo/retention.ts';
import { inTransaction } from '../../../../platform/mongo/transaction.ts';
import { applyWrites, deleteRows, insertRow } from '../../../../platform/mongo/writes.ts';
import { type BudgetMonth, budgetMonthRows, budgetWindowRows } from '../rules/counted.ts';
import { counterKey } from '../rules/keys.ts';
import { type Budget, budgetRows } from '../rules/model.ts';
import { readWindows } from './read-windows.ts';

/** Days after its end when a monthly window is folded: no signal and no recount reaches it any more. */
const FOLDED_DAYS = 36;
/** Counters of one read. */
const COUNTERS_AT_ONCE = 100;

/** Returns true when the windows of a budget are kept as long as it counts the same. */
export function isFolded({ window }: Pick<Budget, 'window'>): boolean {
  return window === 'monthly' || window === 'quarterly';
}

/**
 * Folds each monthly or quarterly window that ended 36 days ago or earlier from its counter shards into one row, which stays. A window is
 * folded in one transaction, so one that was interrupted begins anew. Repeating it changes nothing. Returns how many windows
 * were folded.
 */
export async function foldMonths(ctx: { db: Db }, orgId: string, nowMs: number): Promise<number> {
  const budgets = await budgetRows(ctx).find({ org_id: orgId }).toArray();
  const counters = [...new Set(budgets.filter(isFolded).map(counterKey))];
  let folded = 0;
  for (let from = 0; from < counters.length; from += COUNTERS_AT_ONCE) {
    const some = counters.slice(from, from + COUNTERS_AT_ONCE);
    for (const window of await findOver(ctx, orgId, some, nowMs)) folded += await foldOne(ctx, window);
  }
  return folded;
}

/** A window of a counter, by its start in epoch ms. */
interface Named {
  org_id: string;
  counter: string;
  startMs: number;
}

async function findOver(
  ctx: { db: Db },
  orgId: string,
  counters: readonly string[],
  nowMs: number,
): Promise<Named[]> {
  const windows = await readWindows(ctx, { org_id: orgId, counter: { $in: [...counters] } });
  const overMs = daysBefore(nowMs, FOLDED_DAYS).getTime();
  return windows
    .filter(({ interval }) => interval.endMs < overMs)
    .map(({ org_id, counter, interval }) => ({ org_id, counter, startMs: interval.startMs }));
}

/** Returns 0 when another worker was faster, or the counter went with its last budget. */
async function foldOne(ctx: { db: Db }, { org_id, counter, startMs }: Named): Promise<number> {
  const rows = { org_id, counter, window_start: dateAt(startMs) };
  const fold = async (transaction: ClientSession): Promise<number> => {
    const [window] = await readWindows(ctx, rows, transaction);
    if (!window) return 0;
    const month: BudgetMonth = {
      _id: derivedId('bwn', org_id, counter, startMs, 'month'),
      ...rows,
      window_end: dateAt(window.interval.endMs),
      ...window.usage,
    };
    const writes = [deleteRows(budgetWindowRows, rows), insertRow(budgetMonthRows, month)];
    await applyWrites(ctx, writes, transaction);
    return 1;
  };
  return inTransaction(ctx.db, fold, { onDuplicateKey: 'retry' });
}
