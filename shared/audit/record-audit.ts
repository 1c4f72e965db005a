import type { ClientSession } from 'mongoose';
import type { Context } from '../context.ts';
import { isDuplicateKey } from '../errors.ts';
import { derivedId, newId } from '../ids.ts';
import { currentActor } from './acting-as.ts';

interface NewEntry {
  action: string;
  org_id: string | null;
  details?: Record<string, unknown>;
}

/** Writes one line of the audit log, in the transaction of the change when one is given. */
export async function recordAudit(ctx: Context, entry: NewEntry, transaction?: ClientSession): Promise<void> {
  await write(ctx, newId('aud'), entry, transaction);
}

/**
 * The same for a change that no transaction holds: one line for each `cause`, however often it is written. So whoever
 * repeats a change that was made, and not recorded any more, records it.
 */
export async function recordAuditOnce(
  ctx: Context,
  entry: NewEntry,
  cause: readonly string[],
): Promise<void> {
  try {
    await write(ctx, derivedId('aud', entry.action, ...cause), entry);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

async function write(
  ctx: Context,
  id: string,
  { action, org_id, details = {} }: NewEntry,
  transaction?: ClientSession,
): Promise<void> {
  const actor = currentActor() ?? ctx.actor;
  const row = { _id: id, at: new Date(ctx.clock.now()), actor, action, org_id, details };
  await ctx.db.audit.create([row], transaction ? { session: transaction } : {});
}
