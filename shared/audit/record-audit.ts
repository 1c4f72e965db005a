import type { ClientSession } from 'mongoose';
import { isDuplicateKey } from '../platform/basics/errors.ts';
import { derivedId, newId } from '../platform/basics/ids.ts';
import type { Context } from '../platform/context/context.ts';
import { insertRow, type Write } from '../platform/mongo/writes.ts';
import { currentActor } from './acting-as.ts';
import { type AuditEntry, auditRows } from './model.ts';

interface NewEntry {
  action: string;
  org_id: string | null;
  details?: Record<string, unknown>;
}

/** A write of one entry of the audit log, for the plan of the change that it tells of. */
export function auditWrite(ctx: Context, entry: NewEntry): Write {
  return insertRow(auditRows, entryOf(ctx, newId('aud'), entry));
}

/**
 * Writes one entry of the audit log, in the transaction of its change. Null is for an act that changes nothing in MongoDB, or
 * that no transaction holds.
 */
export async function recordAudit(
  ctx: Context,
  entry: NewEntry,
  transaction: ClientSession | null,
): Promise<void> {
  await auditRows(ctx).insertOne(
    entryOf(ctx, newId('aud'), entry),
    transaction ? { session: transaction } : {},
  );
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
    await auditRows(ctx).insertOne(entryOf(ctx, derivedId('aud', entry.action, ...cause), entry));
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

function entryOf(ctx: Context, id: string, { action, org_id, details = {} }: NewEntry): AuditEntry {
  const actor = currentActor() ?? ctx.actor;
  return { _id: id, at: new Date(ctx.clock.now()), actor, action, org_id, details };
}
