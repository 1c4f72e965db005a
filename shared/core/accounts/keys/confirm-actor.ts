import type { ClientSession } from 'mongoose';
import type { Role } from '../../../platform/basics/contract.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { updateRow, type Write } from '../../../platform/mongo/writes.ts';
import { currentActor } from '../audit/record-audit.ts';
import { memberRows } from '../organizations/model.ts';
import { memberTouch } from '../organizations/roster.ts';
import { apiKeyRows, type Maker } from './model.ts';

interface Actor {
  maker: Maker;
  writes: readonly Write[];
}

const OPERATOR: Actor = { maker: { user_id: null, key_id: null }, writes: [] };

/**
 * Names the actor of a change that outlives its request, after checking in the change's transaction that the actor may still
 * make it: the request was let in a moment ago, and a removal, a demotion or a revocation may have overtaken it. The writes
 * are part of the change: they touch the actor's row, so a concurrent removal conflicts. Throws `unauthorized` for a removed member and a revoked key, and
 * `missing_scope` for a member who is no longer an admin where `role` is `admin`.
 */
export async function confirmActor(
  ctx: Context,
  { orgId, role }: { orgId: string; role: Role },
  transaction: ClientSession,
): Promise<Actor> {
  const actor = currentActor();
  if (actor === null || actor === ctx.actor) return OPERATOR;
  if (!actor.startsWith('usr_')) return confirmKey(ctx, { orgId, keyId: actor }, transaction);
  const member = await memberRows(ctx).findOne({ _id: actor }, { session: transaction });
  if (member?.org_id !== orgId || member.removed_at !== null)
    throw new DomainError('unauthorized', 'This member was removed.');
  if (role === 'admin' && member.role !== 'admin')
    throw new DomainError('missing_scope', 'Only an admin of the organization may do this.');
  return { maker: { user_id: member.user_id, key_id: null }, writes: [memberTouch(member)] };
}

async function confirmKey(
  ctx: Context,
  { orgId, keyId }: { orgId: string; keyId: string },
  transaction: ClientSession,
): Promise<Actor> {
  const key = await apiKeyRows(ctx).findOne({ _id: keyId }, { session: transaction });
  if (key?.org_id !== orgId || key.revoked_at !== null)
    throw new DomainError('unauthorized', 'This key was revoked.');
  const touch = updateRow(apiKeyRows, { _id: keyId }, { $inc: { touches: 1 } });
  return { maker: { user_id: key.made_by.user_id, key_id: keyId }, writes: [touch] };
}
