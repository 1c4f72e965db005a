import type { ClientSession } from 'mongoose';
import { currentActor } from '../audit/acting-as.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { recountTeams } from '../budgets/recount-teams.ts';
import { wakeEvaluation } from '../budgets/wake-evaluation.ts';
import type { Context } from '../context.ts';
import type { Role } from '../contract.ts';
import { revokeAllDevices } from '../devices/revoke-device.ts';
import { DomainError, isDuplicateKey } from '../errors.ts';
import { newId } from '../ids.ts';
import { inTransaction } from '../mongo.ts';
import type { Member } from './model.ts';
import { readOrganization } from './read-organization.ts';
import { noMember, refuseLastAdmin, replaceMember, touchRoster } from './roster.ts';

export interface NewMember {
  org_id: string;
  email: string;
  role: Role;
  /** Defaults to the account's own id. Unique in the organization. */
  user_id?: string | undefined;
  name?: string | undefined;
  teams?: string[] | undefined;
  idp?: { iss: string; sub: string } | undefined;
}

/** Adds a person to an organization; teams that it names exist from then on. Throws `conflict`, `not_found`. */
export async function addMember(ctx: Context, input: NewMember): Promise<Member> {
  const id = newId('usr');
  const email = input.email.toLowerCase();
  const invitedBy = currentActor();
  const member: Member = {
    _id: id,
    org_id: input.org_id,
    user_id: input.user_id ?? id,
    email,
    name: input.name ?? null,
    role: input.role,
    teams: [...new Set(input.teams ?? [])],
    ...(input.idp ? { idp: input.idp } : {}),
    ...(invitedBy === null ? {} : { invited_by: invitedBy }),
    created_at: new Date(ctx.clock.now()),
    removed_at: null,
  };
  try {
    await inTransaction(ctx.db, async (transaction) => {
      await readOrganization(ctx, input.org_id, transaction);
      await ctx.db.members.create([member], { session: transaction });
      await ctx.db.organizations.updateOne(
        { _id: input.org_id },
        {
          $addToSet: {
            teams: { $each: member.teams },
            ...(input.role === 'admin' ? { admin_emails: email } : {}),
          },
        },
        { session: transaction },
      );
      await recordAudit(
        ctx,
        {
          action: 'member.add',
          org_id: input.org_id,
          details: { user_id: member.user_id, role: input.role },
        },
        transaction,
      );
      await recountTeams(ctx, input.org_id, member.teams, transaction);
    });
    wakeEvaluation(ctx, input.org_id);
  } catch (error) {
    if (isDuplicateKey(error))
      throw new DomainError('conflict', 'This user or identity is a member already.');
    throw error;
  }
  return member;
}

/** Puts a member into exactly these teams. Throws `not_found`. */
export async function setTeams(ctx: Context, orgId: string, userId: string, teams: string[]): Promise<void> {
  await inTransaction(ctx.db, async (transaction) => {
    const before = await ctx.db.members
      .findOneAndUpdate({ org_id: orgId, user_id: userId }, { $set: { teams: [...new Set(teams)] } })
      .session(transaction)
      .lean();
    if (!before || before.removed_at !== null) throw noMember();
    await ctx.db.organizations.updateOne(
      { _id: orgId },
      { $addToSet: { teams: { $each: teams } } },
      { session: transaction },
    );
    await recordAudit(
      ctx,
      { action: 'member.teams', org_id: orgId, details: { user_id: userId, teams } },
      transaction,
    );
    await recountTeams(ctx, orgId, [...new Set([...before.teams, ...teams])], transaction);
  });
  wakeEvaluation(ctx, orgId);
}

/**
 * Erases name, e-mail and identity and revokes the devices and the keys that are bound to the user; the ids stay, so that
 * what was recorded still adds up. Repeating it changes nothing. Throws `not_found`, and `conflict` for the last admin
 * where one has to stay.
 */
export async function removeMember(
  ctx: Context,
  orgId: string,
  userId: string,
  options: { keepsAnAdmin: boolean } = { keepsAnAdmin: false },
): Promise<void> {
  const leaving = await ctx.db.members.findOne({ org_id: orgId, user_id: userId }).lean();
  if (!leaving) throw noMember();
  if (options.keepsAnAdmin) await refuseLastAdmin(ctx, leaving);
  await revokeAllDevices(ctx, leaving._id);
  await eraseMember(ctx, orgId, userId, options);
  // One that was being linked meanwhile either sees that the member is gone, or is seen here.
  await revokeAllDevices(ctx, leaving._id);
}

async function eraseMember(
  ctx: Context,
  orgId: string,
  userId: string,
  { keepsAnAdmin }: { keepsAnAdmin: boolean },
): Promise<void> {
  await inTransaction(ctx.db, async (transaction) => {
    const member = await ctx.db.members
      .findOne({ org_id: orgId, user_id: userId })
      .session(transaction)
      .lean();
    if (!member) throw noMember();
    if (member.removed_at !== null) return;
    if (keepsAnAdmin) await refuseLastAdmin(ctx, member, transaction);
    const { idp: _, ...rest } = member;
    const erased = { ...rest, email: null, name: null, teams: [], removed_at: new Date(ctx.clock.now()) };
    await replaceMember(ctx, erased, transaction);
    await touchRoster(ctx, orgId, { without: member.email }, transaction);
    const keys = await revokeKeysOf(ctx, orgId, userId, transaction);
    await recordAudit(
      ctx,
      { action: 'member.remove', org_id: orgId, details: { user_id: userId, keys } },
      transaction,
    );
    await recountTeams(ctx, orgId, member.teams, transaction);
  });
  wakeEvaluation(ctx, orgId);
}

async function revokeKeysOf(
  ctx: Context,
  orgId: string,
  userId: string,
  transaction: ClientSession,
): Promise<string[]> {
  const keys = await ctx.db.apiKeys.find({ org_id: orgId }).session(transaction).lean();
  const ids = keys.filter((key) => key.user_id === userId && key.revoked_at === null).map(({ _id }) => _id);
  const change = { revoked_at: new Date(ctx.clock.now()) };
  await ctx.db.apiKeys.updateMany({ _id: { $in: ids } }, { $set: change }, { session: transaction });
  return ids;
}

/** The members of an organization who are there, by user id. */
export async function listMembers(ctx: Context, orgId: string): Promise<Member[]> {
  const members = await ctx.db.members.find({ org_id: orgId }).sort({ user_id: 1 }).lean();
  return members.filter((member) => member.removed_at === null);
}
