import { AsyncLocalStorage } from 'node:async_hooks';
import { isDuplicateKey } from '../../../platform/basics/errors.ts';
import { derivedId, orderedId } from '../../../platform/basics/ids.ts';
import type { Context } from '../../../platform/context/context.ts';
import { insertRow, type Write } from '../../../platform/mongo/writes.ts';
import type { AuditAction } from './actions.ts';
import { type AuditEntry, auditRows } from './model.ts';

const actors = new AsyncLocalStorage<string>();

/** Runs `work` as an act of this account or key: what it writes to the audit log names the actor. */
export function actingAs<Result>(actor: string, work: () => Result): Result {
  return actors.run(actor, work);
}

/** The account (`usr_…`) or the id of the API key that acts now, or null where no request is served. */
export function currentActor(): string | null {
  return actors.getStore() ?? null;
}

interface NewEntry {
  action: AuditAction;
  org_id: string | null;
  details?: Record<string, unknown>;
}

export function auditWrite(ctx: Context, entry: NewEntry): Write {
  return insertRow(auditRows, entryOf(ctx, orderedId('aud'), entry));
}

/**
 * Writes one entry of the audit log for an act that no transaction of MongoDB holds. With a `cause` one entry per cause,
 * however often it is called: a repeat of a change that was made but not recorded records it.
 */
export async function recordAct(ctx: Context, entry: NewEntry, cause?: readonly string[]): Promise<void> {
  const id = cause === undefined ? orderedId('aud') : derivedId('aud', entry.action, ...cause);
  try {
    await auditRows(ctx).insertOne(entryOf(ctx, id, entry));
  } catch (error) {
    if (cause === undefined || !isDuplicateKey(error)) throw error;
  }
}

function entryOf(ctx: Context, id: string, { action, org_id, details = {} }: NewEntry): AuditEntry {
  const actor = currentActor() ?? ctx.actor;
  return { _id: id, at: new Date(ctx.clock.now()), actor, action, org_id, details };
}
