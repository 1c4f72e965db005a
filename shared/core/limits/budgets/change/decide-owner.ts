import type { ClientSession } from 'mongoose';
import { type DomainError, invalid } from '../../../../platform/basics/errors.ts';
import { NO_PLAN, type Plan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { updateRow, type Write } from '../../../../platform/mongo/writes.ts';
import { memberRows } from '../../../accounts/organizations/model.ts';
import { memberTouch } from '../../../accounts/organizations/roster.ts';
import { isChannel, webhookRows } from '../../../events/webhooks/endpoints/model.ts';
import { type BudgetOwner, budgetRows } from '../rules/model.ts';
import { planRuleChange } from '../rules/plan-evaluation.ts';

/**
 * Checks who is to own a budget, and returns the writes by which the change conflicts with the end of that membership. Throws
 * `invalid_request` unless the owner is a present member who takes mails of the organization, or one of its channels.
 */
export async function claimOwner(
  ctx: Context,
  orgId: string,
  owner: BudgetOwner | null | undefined,
  transaction: ClientSession,
): Promise<Write[]> {
  if (!owner) return [];
  if ('webhook_id' in owner) {
    const webhook = await webhookRows(ctx).findOne({ _id: owner.webhook_id }, { session: transaction });
    if (webhook?.org_id !== orgId) throw refused('webhook_id', 'is no webhook of this organization');
    if (!isChannel(webhook))
      throw refused(
        'webhook_id',
        'must be a channel: a webhook of the format json gets every event that it names',
      );
    return [];
  }
  const person = { org_id: orgId, user_id: owner.user_id };
  const member = await memberRows(ctx).findOne(person, { session: transaction });
  if (!member || member.removed_at) throw refused('user_id', 'is no member of this organization');
  if (member.mails_ended_at) throw refused('user_id', 'is a member who takes no mails of this organization');
  return [memberTouch(member)];
}

function refused(field: string, detail: string): DomainError {
  return invalid(`The budget is not valid: owner.${field} ${detail}.`, `/owner/${field}`, detail);
}

/** Plans that a member or a channel owns no budget of the organization any more. */
export async function planDisowned(
  ctx: Context,
  orgId: string,
  owner: BudgetOwner,
  transaction: ClientSession,
): Promise<Plan> {
  const named =
    'user_id' in owner ? { 'owner.user_id': owner.user_id } : { 'owner.webhook_id': owner.webhook_id };
  const owned = await budgetRows(ctx)
    .find({ org_id: orgId, ...named }, { session: transaction, projection: { _id: 1 } })
    .toArray();
  if (owned.length === 0) return NO_PLAN;
  const { writes, wakeUps } = planRuleChange(orgId, ctx.clock.now());
  const ends = owned.map(({ _id }) => updateRow(budgetRows, { _id }, { $unset: { owner: true as const } }));
  return { writes: [...writes, ...ends], wakeUps };
}
