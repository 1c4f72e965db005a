import { dropIndex } from '../../../../platform/mongo/collection.ts';
import type { Migration } from '../../../../platform/mongo/schema.ts';
import { budgetWindowRows } from './counted.ts';

/**
 * Removes the index by which MongoDB itself deleted windows of budgets: a monthly one is folded first, however long no worker
 * has run.
 */
export const keepWindowsUntilFolded: Migration = {
  version: 2,
  what: 'workers delete windows of budgets, MongoDB does not',
  run: (db) => dropIndex(db, budgetWindowRows, 'window_end_1'),
};
