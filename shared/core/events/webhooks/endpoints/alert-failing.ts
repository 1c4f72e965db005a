import type { mongo } from 'mongoose';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { commitPlan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import type { DueJob } from '../../../../platform/due/model.ts';
import { clearDue, readDue, setDue } from '../../../../platform/due/plan-due.ts';
import type { DeclaredCollection, Row } from '../../../../platform/mongo/collection.ts';
import { updateRow } from '../../../../platform/mongo/writes.ts';

/** How often an unsent mail is tried again. */
const RETRY_MS = 300_000;

/** A kind of thing that may fail, and the mail about it that an organization's admins get. */
export interface FailingKind<T extends Row> {
  job: DueJob;
  rows: DeclaredCollection<T>;
  /** The field that says when the admins were told; null until then. */
  told: keyof T & string;
  isWanted: (row: T) => boolean;
  /** Returns false where no mail may go. Throws when the mail server fails, so that the due row is postponed. */
  mail: (ctx: Context, row: T) => Promise<boolean>;
}

/**
 * Writes to an organization's admins that something fails: one mail until it no longer does. Without a mail server, or an address to
 * which mail may go, the mail stays due for as long as it is wanted.
 */
export async function alertFailing<T extends Row & { failing_since: Date | null }>(
  ctx: Context,
  { job, rows, told, isWanted, mail }: FailingKind<T>,
  id: string,
): Promise<void> {
  if (!(await readDue(ctx, job, id))) return;
  const filter = { _id: id } as mongo.Filter<T>;
  const row = (await rows(ctx).findOne(filter)) as T | null;
  const wasSent = row !== null && isWanted(row) && (await mail(ctx, row));
  await commitPlan(ctx, async (transaction) => {
    const due = await readDue(ctx, job, id, transaction);
    const now = (await rows(ctx).findOne(filter, { session: transaction })) as T | null;
    // It works again, and perhaps fails once more: what is due then is another mail.
    const isAnother = now?.failing_since?.getTime() !== row?.failing_since?.getTime();
    if (!due || isAnother) return { result: undefined };
    if (now && isWanted(now) && !wasSent) {
      const dueMs = ctx.clock.now() + RETRY_MS;
      return { ...setDue(job, { key: id, orgId: due.org_id, dueMs }), result: undefined };
    }
    const change = { $set: { [told]: dateAt(ctx.clock.now()) } } as mongo.UpdateFilter<T>;
    const written = wasSent ? [updateRow(rows, filter, change)] : [];
    return { writes: [clearDue(job, id), ...written], result: undefined };
  });
}
