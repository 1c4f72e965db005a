import { auditRows } from '../core/accounts/audit/model.ts';
import { apiKeyRows } from '../core/accounts/keys/model.ts';
import { signalRows } from '../core/calls/signals/model.ts';
import { deliveryRows } from '../core/events/webhooks/deliveries/model.ts';
import { type CollectionDeclaration, createCollections, dropIndex } from '../platform/mongo/collection.ts';
import type { Migration } from '../platform/mongo/schema.ts';
import { contextRows } from '../wings/work/attribution/model.ts';
import { pullRequestRows } from '../wings/work/pull-requests/model.ts';

/** The indexes that another one replaces, which has the same fields and more. */
const REPLACED: readonly (readonly [CollectionDeclaration, readonly string[]])[] = [
  [signalRows, ['client_session_1_ts_1', 'work_1_ts_1']],
  [contextRows, ['client_session_1_ts_1']],
  [auditRows, ['org_id_1_at_1']],
  [pullRequestRows, ['org_id_1_opened_at_1', 'org_id_1_repository_1_opened_at_1']],
  [deliveryRows, ['webhook_id_1_status_1_created_at_1']],
  [apiKeyRows, ['org_id_1_created_at_1']],
];

/**
 * Gives pages their order by an index: MongoDB would read and sort the rest of the list for each page, since the id, by which rows
 * of one moment are in order, was not in it. The new index is there before the old one goes.
 */
export const indexOrder: Migration = {
  version: 4,
  what: 'indexes hold the id, by which pages are in order',
  run: async (db) => {
    for (const [declared, names] of REPLACED) {
      await createCollections(db, [declared]);
      for (const name of names) await dropIndex(db, declared, name);
    }
  },
};
