import { dropIndex } from '../../../../platform/mongo/collection.ts';
import type { Migration } from '../../../../platform/mongo/schema.ts';
import { type BudgetWindow, budgetWindowRows } from './counted.ts';

/** Removes the index by which MongoDB itself deleted windows of budgets, those of months too. */
export const keepWindows: Migration = {
  version: 2,
  what: 'workers delete windows of budgets, MongoDB does not',
  run: (db) => dropIndex(db, budgetWindowRows, 'window_end_1'),
};

/** Takes the months that were kept as one row each back among the windows. */
export const unfoldMonths: Migration = {
  version: 5,
  what: 'months of budgets are kept as windows',
  run: async (db) => {
    const folded = db.database.collection<BudgetWindow>('budget_months');
    for await (const month of folded.find())
      await db.database
        .collection<BudgetWindow>(budgetWindowRows.collectionName)
        .replaceOne({ _id: month._id, org_id: month.org_id }, month, { upsert: true });
    await folded.drop();
  },
};
