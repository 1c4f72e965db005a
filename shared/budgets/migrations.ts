import { mongo } from 'mongoose';
import type { Migration } from '../platform/mongo/schema.ts';
import { budgetWindowRows } from './model.ts';

/** The errors of an index, and of a collection, that is not there. */
const NOT_THERE: readonly unknown[] = [26, 27];

/**
 * Removes the index by which MongoDB itself deleted windows of budgets: a monthly one is folded first, however long no worker
 * has run.
 */
export const keepWindowsUntilFolded: Migration = {
  version: 2,
  what: 'workers delete windows of budgets, MongoDB does not',
  run: async (db) => {
    try {
      await db.database.collection(budgetWindowRows.collectionName).dropIndex('window_end_1');
    } catch (error) {
      if (!(error instanceof mongo.MongoServerError && NOT_THERE.includes(error.code))) throw error;
    }
  },
};
