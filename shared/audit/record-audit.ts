import type { ClientSession } from 'mongoose';
import type { Context } from '../context.ts';
import { isDuplicateKey } from '../errors.ts';
import { newId } from '../ids.ts';

/**
 * Writes one line of the audit log, in the transaction of the change when one is given. With `id` (`derivedId`, outside of
 * transactions) only the first of its repeats is written.
 */
export async function recordAudit(
  ctx: Context,
  entry: { id?: string; action: string; org_id: string | null; details?: Record<string, unknown> },
  transaction?: ClientSession,
): Promise<void> {
  const row = {
    _id: entry.id ?? newId('aud'),
    at: new Date(ctx.clock.now()),
    actor: ctx.actor,
    action: entry.action,
    org_id: entry.org_id,
    details: entry.details ?? {},
  };
  try {
    await ctx.db.audit.create([row], transaction ? { session: transaction } : {});
  } catch (error) {
    if (entry.id === undefined || !isDuplicateKey(error)) throw error;
  }
}
