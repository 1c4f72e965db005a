import type { ClientSession } from 'mongoose';
import type { Context } from '../context.ts';
import { newId } from '../ids.ts';

/** Writes one line of the audit log, in the transaction of the change when one is given. */
export async function recordAudit(
  ctx: Context,
  entry: { action: string; org_id: string | null; details?: Record<string, unknown> },
  transaction?: ClientSession,
): Promise<void> {
  const row = {
    _id: newId('aud'),
    at: new Date(ctx.clock.now()),
    actor: ctx.actor,
    action: entry.action,
    org_id: entry.org_id,
    details: entry.details ?? {},
  };
  await ctx.db.audit.create([row], transaction ? { session: transaction } : {});
}
