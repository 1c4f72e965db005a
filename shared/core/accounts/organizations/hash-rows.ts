import { batches } from '../../../platform/basics/in-batches.ts';
import { commitPlan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import type { DeclaredCollection, Row } from '../../../platform/mongo/collection.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import { replaceRow } from '../../../platform/mongo/writes.ts';

/** Rows of one transaction. */
const BATCH_ROWS = 200;

/** Puts hashes in the place of the names that rows of an organization have in plain text, or changes them by `change`. */
export async function hashRows<T extends Row>(
  ctx: Context,
  orgId: string,
  rows: DeclaredCollection<T>,
  change: (row: T) => T = withHashes,
): Promise<void> {
  const filter = { org_id: orgId } as never;
  const all = await rows(ctx)
    .find(filter, { projection: { _id: 1 } })
    .toArray();
  const ids = all.map(({ _id }) => String(_id));
  for await (const some of batches(ids, BATCH_ROWS)) {
    await commitPlan(ctx, async (transaction) => {
      const there = (await findByIds(rows(ctx), some, transaction)) as unknown as T[];
      const changed = there.flatMap((row) => {
        const after = change(row);
        return JSON.stringify(after) === JSON.stringify(row) ? [] : [replaceRow(rows, after)];
      });
      return { writes: changed, result: undefined };
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
