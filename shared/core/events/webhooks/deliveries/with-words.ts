import type { ClientSession } from 'mongoose';
import { dashboardUrl } from '../../../../platform/basics/config.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { memberRows } from '../../../accounts/organizations/model.ts';
import { readOrganization, timezoneAt } from '../../../accounts/organizations/read-organization.ts';
import type { NewEvent } from '../../record/new-event.ts';
import type { Subscriber } from '../endpoints/find-subscribers.ts';
import { isChannel } from '../endpoints/model.ts';
import { isFor } from './plan-events.ts';

/**
 * Adds to events of one organization what messages say beside their data: the zone, the names of people, and the page that shows
 * it. It reads nothing unless people read about one of them.
 */
export async function withWords(
  ctx: Context,
  events: readonly NewEvent[],
  webhooks: readonly Subscriber[],
  transaction: ClientSession,
): Promise<readonly NewEvent[]> {
  const [first] = events;
  if (!first || !areTold(events, webhooks)) return events;
  const { org_id } = first;
  const organization = await readOrganization(ctx, org_id, transaction);
  const ids = [...new Set(events.flatMap(peopleIn))];
  const members = await memberRows(ctx)
    .find({ org_id, user_id: { $in: ids } }, { projection: { user_id: 1, name: 1 }, session: transaction })
    .toArray();
  const people = new Map(members.map(({ user_id, name }) => [user_id, name]));
  return events.map((event) => {
    const named = peopleIn(event).flatMap((id) => {
      const name = people.get(id);
      return name ? [[id, name] as const] : [];
    });
    const names = Object.fromEntries([...named, [org_id, organization.name]]);
    const timezone = timezoneAt(organization, event.ts.getTime());
    return { ...event, words: { link: linkOf(ctx, event), ...event.words, timezone, names } };
  });
}

/** Returns true when people read about one of these events: in a channel, or in a mail. */
export function areTold(
  events: readonly Pick<NewEvent, 'type' | 'webhook_id' | 'owner_id' | 'is_kept'>[],
  webhooks: readonly Subscriber[],
): boolean {
  const channels = webhooks.filter(isChannel);
  if (events.some(({ is_kept }) => is_kept)) return true;
  return channels.some((channel) => events.some((event) => isFor(event, channel)));
}

function peopleIn({ data, words }: NewEvent): string[] {
  const ids = [data.user_id, data.scope === 'user' ? data.scope_id : null, words?.cause?.user_id];
  const users: unknown[] = Array.isArray(data.users) ? data.users : [];
  return [...ids, ...users].filter((id) => typeof id === 'string');
}

function linkOf(ctx: Context, { type, data, webhook_id }: NewEvent): string {
  const page = (...path: unknown[]) =>
    dashboardUrl(ctx.config, path.map((part) => encodeURIComponent(String(part))).join('/'));
  switch (type) {
    case 'session.started':
    case 'session.ended':
      return page('sessions', data.id);
    case 'budget.warning':
    case 'budget.exceeded':
    case 'budget.threshold':
    case 'budget.forecast':
      return page('budgets', data.budget_id);
    case 'budget.raise_requested':
    case 'budget.raise_answered':
      return page('raises', data.raise_id);
    case 'anomaly.detected':
      return page('sessions', data.session_id);
    case 'signals.held':
      return page('sessions');
    case 'export.failed':
      return page('export', data.destination_id);
    case 'credit.low':
    case 'credit.depleted':
      return page('credits');
    case 'digest':
      return data.about === 'anomalies' ? page(...anomaliesPage(data)) : page('alerts', webhook_id);
  }
}

/** The page of the session that all these anomalies are of, or that of anomalies. */
function anomaliesPage({ events }: NewEvent['data']): string[] {
  const ids = (events as { data: { session_id: string } }[]).map(({ data }) => data.session_id);
  const [id, ...others] = new Set(ids);
  return id !== undefined && others.length === 0 ? ['sessions', id] : ['anomalies'];
}
