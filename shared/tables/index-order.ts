import { createCollections, dropIndex } from '../platform/mongo/collection.ts';
import type { Migration } from '../platform/mongo/schema.ts';
import { COLLECTIONS } from './collections.ts';

/** The indexes that another one replaces, which has the same fields and more, by the name of their collection. */
const REPLACED: Readonly<Record<string, readonly string[]>> = {
  signals: ['client_session_1_ts_1', 'work_1_ts_1'],
  contexts: ['client_session_1_ts_1'],
  audit: ['org_id_1_at_1'],
  pull_requests: ['org_id_1_opened_at_1', 'org_id_1_repository_1_opened_at_1'],
  deliveries: ['webhook_id_1_status_1_created_at_1'],
  api_keys: ['org_id_1_created_at_1'],
};

/**
 * Gives pages their order by an index: MongoDB would read and sort the rest of the list for each page, since the id, by which rows
 * of one moment are in order, was not in it. The new index is there before the old one goes.
 */
export const indexOrder: Migration = {
  version: 4,
  what: 'indexes hold the id, by which pages are in order',
  run: async (db) => {
    for (const declared of COLLECTIONS) {
      const names = REPLACED[declared.collectionName];
      if (!names) continue;
      await createCollections(db, [declared]);
      for (const name of names) await dropIndex(db, declared, name);
    }
  },
};
