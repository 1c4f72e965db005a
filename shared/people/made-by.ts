import type { ClientSession } from 'mongoose';
import { planKeyRevocation } from '../core/accounts/keys/api-keys.ts';
import { type ApiKey, apiKeyRows, isLive } from '../core/accounts/keys/model.ts';
import { planDeletion } from '../core/events/webhooks/endpoints/delete-webhook.ts';
import { type Webhook, webhookRows } from '../core/events/webhooks/endpoints/model.ts';
import { planDisowned } from '../core/limits/budgets/change/decide-owner.ts';
import { DomainError } from '../platform/basics/errors.ts';
import { joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';

interface Made {
  keys: ApiKey[];
  webhooks: Webhook[];
}

type Person = { org_id: string; user_id: string };

interface MadePlan {
  plan: Plan;
  /** For the audit log. */
  details: object;
}

export const NOTHING_MADE: MadePlan = { plan: NO_PLAN, details: {} };

/**
 * Plans what becomes of the keys and webhooks that a person made when the person leaves or is an admin no more: with
 * `revokeMade` the keys are revoked and the webhooks deleted, with false they stay. A key that is bound to the person is not
 * among them. Throws `revoke_made_needed`, which lists them, when there are any and
 * nobody has decided.
 */
export async function planMade(
  ctx: Context,
  person: Person,
  revokeMade: boolean | undefined,
  transaction: ClientSession,
): Promise<MadePlan> {
  const made = await findMade(ctx, person, transaction);
  if (made.keys.length + made.webhooks.length === 0) return NOTHING_MADE;
  if (revokeMade === undefined) throw undecided(made);
  const ids = { keys: made.keys.map(({ _id }) => _id), webhooks: made.webhooks.map(({ _id }) => _id) };
  if (!revokeMade) return { plan: NO_PLAN, details: { kept: ids } };
  const plans = made.keys.map((key) => planKeyRevocation(ctx, key));
  for (const webhook of made.webhooks) {
    const disowned = await planDisowned(ctx, person.org_id, { webhook_id: webhook._id }, transaction);
    plans.push(planDeletion(ctx, webhook), disowned);
  }
  return { plan: joinPlans(...plans), details: { revoked: ids } };
}

async function findMade(ctx: Context, { org_id, user_id }: Person, transaction: ClientSession) {
  const options = { session: transaction };
  const by = { org_id, 'made_by.user_id': user_id };
  const [keys, webhooks] = [
    await apiKeyRows(ctx)
      .find({ ...by, revoked_at: null }, options)
      .toArray(),
    await webhookRows(ctx).find(by, options).toArray(),
  ];
  const nowMs = ctx.clock.now();
  return { keys: keys.filter((key) => key.user_id !== user_id && isLive(key, nowMs)), webhooks };
}

/** The keys and webhooks that `revoke_made_needed` lists as `made`. */
export interface MadeObjects {
  keys: { id: string; name: string; user_id: string | null }[];
  webhooks: { id: string; url: string }[];
}

function undecided({ keys, webhooks }: Made): DomainError {
  const made: MadeObjects = {
    keys: keys.map(({ _id: id, name, user_id }) => ({ id, name, user_id })),
    webhooks: webhooks.map(({ _id: id, url }) => ({ id, url })),
  };
  return new DomainError(
    'revoke_made_needed',
    `This person made ${keys.length} keys and ${webhooks.length} webhooks that are in force. Repeat the request with revoke_made=true to end them, or with revoke_made=false to keep them.`,
    { made },
  );
}
