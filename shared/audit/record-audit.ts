import type { ClientSession } from 'mongoose';
import { isDuplicateKey } from '../platform/basics/errors.ts';
import { derivedId, newId } from '../platform/basics/ids.ts';
import type { Context } from '../platform/context/context.ts';
import { currentActor } from './acting-as.ts';
import { auditRows } from './model.ts';

interface NewEntry {
  action: string;
  org_id: string | null;
  details?: Record<string, unknown>;
}

/** Writes one entry of the audit log, in the transaction of the change where one is given. */
export async function recordAudit(ctx: Context, entry: NewEntry, transaction?: ClientSession): Promise<void> {
  await write(ctx, newId('aud'), entry, transaction);
}

/**
 * Writes one entry per `cause`, however often it is called: for changes that no transaction holds. A repeat of a change
 * that was made but not recorded records it.
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
  await auditRows(ctx).insertOne(row, transaction ? { session: transaction } : {});
}
