import { auditWrite } from '../core/accounts/audit/record-audit.ts';
import { revokeDevicesJob } from '../core/accounts/devices/jobs.ts';
import { revokeDevicesOfRemoved } from '../core/accounts/devices/revoke-device.ts';
import { revocationOf } from '../core/accounts/keys/api-keys.ts';
import { confirmActor } from '../core/accounts/keys/confirm-actor.ts';
import { apiKeyRows } from '../core/accounts/keys/model.ts';
import { planReleaseOfUser } from '../core/accounts/keys/plan-release.ts';
import { keepEndOfMails } from '../core/accounts/organizations/ended-mails.ts';
import { type Member, memberRows } from '../core/accounts/organizations/model.ts';
import { readOrganization } from '../core/accounts/organizations/read-organization.ts';
import {
  memberReplacement,
  noMember,
  refuseLastAdmin,
  rosterWrite,
} from '../core/accounts/organizations/roster.ts';
import { type RemovalPart, wingsOf } from '../core/hooks/wing.ts';
import { planDisowned } from '../core/limits/budgets/change/decide-owner.ts';
import { planTeamChange } from '../core/limits/budgets/count/recount.ts';
import { DomainError, isStoreError } from '../platform/basics/errors.ts';
import { commitPlan, joinPlans } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { insertDue } from '../platform/due/plan-due.ts';
import { planMade } from './made-by.ts';

export interface Removal {
  /** True when the removal of the last admin is refused. */
  keepsAnAdmin?: boolean;
  /** True when the things that the person made end too (`planMade`). Needed where there are any. */
  revokeMade?: boolean | undefined;
}

/**
 * Removes a member: erases name, e-mail and identity, revokes the devices and the API keys that are bound to the user, and,
 * where it is asked for, ends what the person made. The ids stay, so that what was recorded still adds up. Repeating it changes nothing. Throws `not_found`, `conflict` for the last admin where one has to stay,
 * `revoke_made_needed`, and `outcome_unknown` when the member is gone and Redis has not taken the end of a device yet.
 */
export async function removeMember(
  ctx: Context,
  orgId: string,
  userId: string,
  removal: Removal = {},
): Promise<void> {
  // Nothing is revoked before the removal is committed: one that is refused leaves everything as it was.
  const accountId = await markRemoved(ctx, orgId, userId, removal);
  await revokeDevices(ctx, accountId);
}

async function revokeDevices(ctx: Context, accountId: string): Promise<void> {
  try {
    await revokeDevicesOfRemoved(ctx, accountId);
  } catch (error) {
    if (!(error instanceof DomainError) && !isStoreError(error)) throw error;
    ctx.log.warn(
      { err: error, account_id: accountId },
      'the devices of a removed member are not revoked yet',
    );
    throw new DomainError(
      'outcome_unknown',
      'The member is removed. The devices are not all revoked yet: a worker does it as soon as the stores answer, or repeat the request.',
    );
  }
}

async function markRemoved(ctx: Context, orgId: string, userId: string, removal: Removal): Promise<string> {
  const person = { org_id: orgId, user_id: userId };
  const { accountId, wings } = await commitPlan<Removed>(ctx, async (transaction) => {
    const actor = await confirmActor(ctx, { orgId, role: 'admin' }, transaction);
    const member = await memberRows(ctx).findOne(person, { session: transaction });
    if (!member) throw noMember();
    if (member.removed_at !== null) return { result: { accountId: member._id, wings: [] } };
    if (removal.keepsAnAdmin) await refuseLastAdmin(ctx, member, transaction);
    const made = await planMade(ctx, person, removal.revokeMade, transaction);
    const organization = await readOrganization(ctx, orgId, transaction);
    const left = { orgId, userId, before: member.teams, after: [] };
    const recount = await planTeamChange(ctx, left, transaction);
    const keys = await apiKeyRows(ctx)
      .find({ ...person, revoked_at: null }, { session: transaction })
      .toArray();
    const disowned = await planDisowned(ctx, orgId, { user_id: userId }, transaction);
    const nowMs = ctx.clock.now();
    const details = { user_id: userId, revoked_keys: keys.map(({ _id }) => _id), ...made.details };
    const writes = [
      ...memberReplacement(erased(member, nowMs)),
      ...keepEndOfMails(ctx, member),
      ...keys.map((key) => revocationOf(key, nowMs)),
      ...actor.writes,
      rosterWrite(organization, { without: member.email }),
      auditWrite(ctx, { action: 'member.remove', org_id: orgId, details }),
      ...insertDue(revokeDevicesJob, { key: member._id, orgId, dueMs: nowMs }).writes,
    ];
    const release = planReleaseOfUser(orgId, userId, nowMs);
    const wings: RemovalPart[] = [];
    for (const wing of wingsOf(ctx)) {
      const planned = await wing.person?.remove?.(ctx, member, transaction);
      if (planned) wings.push(planned);
    }
    return {
      ...joinPlans({ writes }, made.plan, recount, disowned, release, ...wings),
      result: { accountId: member._id, wings },
    };
  });
  for (const { committed } of wings) committed?.();
  return accountId;
}

interface Removed {
  accountId: string;
  wings: readonly RemovalPart[];
}

function erased({ idp: _, ...member }: Member, nowMs: number): Member {
  return { ...member, email: null, name: null, teams: [], removed_at: new Date(nowMs) };
}
