import type { ClientSession } from 'mongoose';
import { planKeyRevocation } from '../core/accounts/keys/api-keys.ts';
import { apiKeyRows, isLive, madeBy } from '../core/accounts/keys/model.ts';
import { planDeletion } from '../core/events/webhooks/endpoints/delete-webhook.ts';
import { webhookRows } from '../core/events/webhooks/endpoints/model.ts';
import { type FindMade, type MadeThing, wingsOf } from '../core/hooks/wing.ts';
import { planDisowned } from '../core/limits/budgets/change/decide-owner.ts';
import { DomainError } from '../platform/basics/errors.ts';
import { joinPlans, NO_PLAN, type Plan } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';

interface MadePlan {
  plan: Plan;
  /** For the audit log. */
  details: object;
}

export const NOTHING_MADE: MadePlan = { plan: NO_PLAN, details: {} };

/**
 * Plans what becomes of the keys, webhooks and things of wings that a person made when the person leaves or is an admin no
 * more: with `revokeMade` the keys are revoked and all else is deleted, with false they stay. A key that is bound to the
 * person is not among them. Throws `revoke_made_needed`, which lists them, when there are any and nobody has decided.
 */
export async function planMade(
  ctx: Context,
  person: { org_id: string; user_id: string },
  revokeMade: boolean | undefined,
  transaction: ClientSession,
): Promise<MadePlan> {
  const made = await findMade(ctx, person, transaction);
  const things = Object.values(made).flat();
  if (things.length === 0) return NOTHING_MADE;
  if (revokeMade === undefined) throw undecided(made);
  const ids = byKind(made, ({ shown }) => shown.id);
  if (!revokeMade) return { plan: NO_PLAN, details: { kept: ids } };
  const plans: Plan[] = [];
  for (const thing of things) plans.push(await thing.end());
  return { plan: joinPlans(...plans), details: { revoked: ids } };
}

/** Things that a person made, by their kinds. */
type Made = Record<string, readonly MadeThing[]>;

async function findMade(
  ctx: Context,
  { org_id, user_id }: { org_id: string; user_id: string },
  transaction: ClientSession,
): Promise<Made> {
  const person = { orgId: org_id, userId: user_id };
  const kinds: Record<string, FindMade> = { keys: findKeys, webhooks: findWebhooks };
  for (const wing of wingsOf(ctx)) Object.assign(kinds, wing.person?.made);
  const made: Made = {};
  for (const [kind, find] of Object.entries(kinds)) made[kind] = await find(ctx, person, transaction);
  return made;
}

const findKeys: FindMade = async (ctx, person, transaction) => {
  const filter = { ...madeBy(person), revoked_at: null };
  const keys = await apiKeyRows(ctx).find(filter, { session: transaction }).toArray();
  const nowMs = ctx.clock.now();
  return keys
    .filter((key) => key.user_id !== person.userId && isLive(key, nowMs))
    .map((key) => ({
      shown: { id: key._id, name: key.name, user_id: key.user_id },
      end: () => planKeyRevocation(ctx, key),
    }));
};

const findWebhooks: FindMade = async (ctx, person, transaction) => {
  const webhooks = await webhookRows(ctx).find(madeBy(person), { session: transaction }).toArray();
  return webhooks.map((webhook) => ({
    shown: { id: webhook._id, url: webhook.url },
    end: async () => {
      const disowned = await planDisowned(ctx, person.orgId, { webhook_id: webhook._id }, transaction);
      return joinPlans(planDeletion(ctx, webhook), disowned);
    },
  }));
};

/** The things that `revoke_made_needed` lists as `made`, by their kinds: `keys`, `webhooks` and those of the wings. */
export type MadeObjects = Record<string, MadeThing['shown'][]>;

function undecided(made: Made): DomainError {
  const counts = Object.entries(made).filter(([, things]) => things.length > 0);
  const listed = counts.map(([kind, { length }]) => `${kind.replace('_', ' ')}: ${length}`).join(', ');
  return new DomainError(
    'revoke_made_needed',
    `This person made things that go on (${listed}). Repeat the request with revoke_made=true to end them, or with revoke_made=false to keep them.`,
    { made: byKind(made, ({ shown }) => shown) satisfies MadeObjects },
  );
}

function byKind<Result>(made: Made, of: (thing: MadeThing) => Result): Record<string, Result[]> {
  return Object.fromEntries(Object.entries(made).map(([kind, things]) => [kind, things.map(of)]));
}
