import type { ClientSession } from 'mongoose';
import type { Context } from '../../../../platform/context/context.ts';
import { secondShard } from '../../../../platform/mongo/counter-shards.ts';
import type { Write } from '../../../../platform/mongo/writes.ts';
import { teamsByUser } from '../../../accounts/organizations/teams.ts';
import { guardOrganizationRules } from '../../../accounts/organizations/versions.ts';
import { type Webhook, webhookRows } from './model.ts';

/** The fields of a webhook that planning deliveries needs. */
export interface Subscriber extends Pick<Webhook, '_id' | keyof typeof FIELDS> {
  /** The people who are in the teams of its filter now; only where the filter names any. */
  members?: ReadonlySet<string>;
}

const FIELDS = {
  format: 1,
  events: 1,
  alert_at: 1,
  forecast: 1,
  alerts_since: 1,
  quiet_hours: 1,
  digest: 1,
  filter: 1,
  enabled: 1,
  status: 1,
  revision: 1,
} as const;

/** The webhooks of an organization as a transaction sees them, for the events that it raises. */
export interface Subscribers {
  webhooks: readonly Subscriber[];
  /** The writes of a transaction that raises events: they conflict with a webhook that is made or changed meanwhile. */
  guard: readonly Write[];
}

/** The webhooks of an organization, and a guard in a counter shard. One indexed read, and one of members where a filter names teams. */
export async function findSubscribers(
  ctx: Context,
  orgId: string,
  transaction: ClientSession,
  shard = secondShard(),
): Promise<Subscribers> {
  const webhooks = await webhookRows(ctx)
    .find({ org_id: orgId }, { session: transaction })
    .project<Subscriber>(FIELDS)
    .toArray();
  const guard = [guardOrganizationRules(orgId, shard)];
  if (!webhooks.some(({ filter }) => filter?.teams)) return { webhooks, guard };
  const teamsOf = await teamsByUser(ctx, orgId, transaction);
  return { webhooks: webhooks.map((webhook) => withMembers(webhook, teamsOf)), guard };
}

function withMembers(webhook: Subscriber, teamsOf: ReadonlyMap<string, readonly string[]>): Subscriber {
  const { teams } = webhook.filter ?? {};
  if (!teams) return webhook;
  const inOne = [...teamsOf].filter(([, own]) => own.some((team) => teams.includes(team)));
  return { ...webhook, members: new Set(inOne.map(([user]) => user)) };
}

/**
 * The write of a transaction that reads webhooks and holds or queues deliveries by what it read: it conflicts with every change
 * of a webhook that it does not see (ADR 0160).
 */
export function guardWebhooks(orgId: string): Write {
  return guardOrganizationRules(orgId, secondShard());
}
