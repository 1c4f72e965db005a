import { organizationRows } from '../core/accounts/organizations/model.ts';
import { commitPlan, NO_PLAN } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { clearDue, readDue } from '../platform/due/plan-due.ts';
import type { DeclaredCollection, Row } from '../platform/mongo/collection.ts';
import { findByIds } from '../platform/mongo/find-by-ids.ts';
import { replaceRow } from '../platform/mongo/writes.ts';
import { heldRows } from '../wings/held/model.ts';
import { contextRows, workRows } from '../wings/work/attribution/model.ts';
import { pullRequestRows } from '../wings/work/pull-requests/model.ts';
import { hashNamesJob } from './jobs.ts';

/** Rows of one transaction. */
const BATCH_ROWS = 200;

/**
 * Puts hashes in the place of the names that an organization has kept in plain text, once it hides names; titles of pull requests
 * go. New rows have hashes already. A worker that dies is followed by one that begins again.
 */
export async function hashNames(ctx: Context, orgId: string): Promise<void> {
  const organization = await organizationRows(ctx).findOne({ _id: orgId });
  if (organization?.hash_names === true) {
    await changeRows(ctx, orgId, workRows, withHashes);
    await changeRows(ctx, orgId, contextRows, withHashes);
    await changeRows(ctx, orgId, heldRows, withHashes);
    await changeRows(ctx, orgId, pullRequestRows, (row) => ({ ...withHashes(row), title: null }));
  }
  await commitPlan(ctx, async (transaction) => {
    const due = await readDue(ctx, hashNamesJob, orgId, transaction);
    return due
      ? { writes: [clearDue(hashNamesJob, orgId)], wakeUps: [], result: null }
      : { ...NO_PLAN, result: null };
  });
}

async function changeRows<T extends Row>(
  ctx: Context,
  orgId: string,
  rows: DeclaredCollection<T>,
  change: (row: T) => T,
): Promise<void> {
  const filter = { org_id: orgId } as never;
  const all = await rows(ctx)
    .find(filter, { projection: { _id: 1 } })
    .toArray();
  const ids = all.map(({ _id }) => String(_id));
  for (let from = 0; from < ids.length; from += BATCH_ROWS) {
    const some = ids.slice(from, from + BATCH_ROWS);
    await commitPlan(ctx, async (transaction) => {
      const there = (await findByIds(rows(ctx), some, transaction)) as unknown as T[];
      const changed = there.flatMap((row) => {
        const after = change(row);
        return JSON.stringify(after) === JSON.stringify(row) ? [] : [replaceRow(rows, after)];
      });
      return { writes: changed, wakeUps: [], result: undefined };
    });
  }
}

/** A row whose names show their hashes, however deep they are. Pure. */
export function withHashes<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withHashes) as Value;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const fields = value as Record<string, unknown>;
  if (isName(fields)) return { ...value, text: fields.hash };
  return Object.fromEntries(Object.entries(fields).map(([name, own]) => [name, withHashes(own)])) as Value;
}

function isName(fields: Record<string, unknown>): boolean {
  return (
    Object.keys(fields).length === 2 && typeof fields.hash === 'string' && typeof fields.text === 'string'
  );
}
