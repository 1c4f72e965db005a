import { auditWrite } from '../../../core/accounts/audit/record-audit.ts';
import { confirmActor } from '../../../core/accounts/keys/confirm-actor.ts';
import { type Member, memberRows } from '../../../core/accounts/organizations/model.ts';
import { readOrganization } from '../../../core/accounts/organizations/read-organization.ts';
import { noMember } from '../../../core/accounts/organizations/roster.ts';
import { commitPlan, joinPlans, NO_PLAN, type Plan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { clearDue } from '../../../platform/due/plan-due.ts';
import { deleteRows, replaceRow, updateRow, type Write } from '../../../platform/mongo/writes.ts';
import { planNextDigest } from './digest-time.ts';
import { mailDigestJob } from './jobs.ts';
import { type Dismissal, noPreferences, type Preferences, preferencesRows } from './model.ts';
import { dismissalOf, isInForce, type PreferencesChange } from './view.ts';

/** Dismissals that are kept of one person; the oldest go. */
const DISMISSALS = 200;

export interface Account {
  accountId: string;
  orgId: string;
}

export async function readPreferences(ctx: Context, { accountId, orgId }: Account): Promise<Preferences> {
  return (await preferencesRows(ctx).findOne({ _id: accountId })) ?? noPreferences(accountId, orgId);
}

/**
 * Changes the preferences of a member who is there; what is left out stays. Dismissals are added to those before, so that two
 * devices at one time lose none. Somebody who chooses a digest takes mails of the organization again. Throws as
 * `confirmActor`.
 */
export async function changePreferences(
  ctx: Context,
  { accountId, orgId }: Account,
  change: PreferencesChange,
): Promise<Preferences> {
  return commitPlan(
    ctx,
    async (transaction) => {
      const options = { session: transaction };
      const actor = await confirmActor(ctx, { orgId, role: 'member' }, transaction);
      const member = await memberRows(ctx).findOne({ _id: accountId }, options);
      if (member?.org_id !== orgId || member.removed_at !== null) throw noMember();
      const before = await preferencesRows(ctx).findOne({ _id: accountId }, options);
      const nowMs = ctx.clock.now();
      const after = changed(before ?? noPreferences(accountId, orgId), change, nowMs);
      const isOther = change.digest !== undefined && change.digest !== (before?.digest ?? 'none');
      const organization = await readOrganization(ctx, orgId, transaction);
      const due = !isOther
        ? NO_PLAN
        : after.digest === 'none'
          ? { writes: [clearDue(mailDigestJob, accountId)], wakeUps: [] }
          : planNextDigest(organization, { accountId, digest: after.digest }, nowMs);
      const again = isOther && after.digest !== 'none' ? planMailsAgain(ctx, member) : NO_PLAN;
      const writes = [...actor.writes, replaceRow(preferencesRows, after, { upsert: true })];
      return { ...joinPlans({ writes }, due, again), result: after };
    },
    { onDuplicateKey: 'retry' },
  );
}

function changed(
  before: Preferences,
  { digest, dismissed = [] }: PreferencesChange,
  nowMs: number,
): Preferences {
  const byId = new Map<string, Dismissal>(before.dismissed.map((each) => [each.id, each]));
  for (const given of dismissed) {
    // A notice that is dismissed again becomes the newest.
    byId.delete(given.id);
    byId.set(given.id, dismissalOf(given));
  }
  const kept = [...byId.values()].filter((each) => isInForce(each, nowMs)).slice(-DISMISSALS);
  return { ...before, digest: digest ?? before.digest, dismissed: kept };
}

/** The plan of a person who ended the mails of the organization and wants some again. */
function planMailsAgain(ctx: Context, member: Member): Plan {
  if (member.mails_ended_at === undefined) return NO_PLAN;
  const details = { user_id: member.user_id };
  const writes = [
    updateRow(memberRows, { _id: member._id }, { $unset: { mails_ended_at: true as const } }),
    auditWrite(ctx, { action: 'member.subscribe', org_id: member.org_id, details }),
  ];
  return { writes, wakeUps: [] };
}

/** The writes that end the digests of a person who takes no mails any more. */
export function endDigests(accountId: string): Write[] {
  return [
    updateRow(preferencesRows, { _id: accountId }, { $set: { digest: 'none' as const } }),
    clearDue(mailDigestJob, accountId),
  ];
}

/** The writes that delete the preferences of a member who is removed. */
export function deletePreferences(accountId: string): Write[] {
  return [deleteRows(preferencesRows, { _id: accountId }), clearDue(mailDigestJob, accountId)];
}
