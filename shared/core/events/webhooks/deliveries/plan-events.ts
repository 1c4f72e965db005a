import { dateAt } from '../../../../platform/basics/clock.ts';
import { derivedId } from '../../../../platform/basics/ids.ts';
import { joinPlans, NO_PLAN, type Plan } from '../../../../platform/context/commit-plan.ts';
import { insertDue } from '../../../../platform/due/plan-due.ts';
import { insertRow } from '../../../../platform/mongo/writes.ts';
import { type Event, eventRows } from '../../record/model.ts';
import { envelopeOf, eventIdOf, type NewEvent } from '../../record/new-event.ts';
import { deliveryTime } from '../endpoints/delivery-time.ts';
import { isConcerned } from '../endpoints/filter.ts';
import type { Subscriber, Subscribers } from '../endpoints/find-subscribers.ts';
import { isChannel, isPaused } from '../endpoints/model.ts';
import { planDeliveriesJob } from './jobs.ts';
import { positionOf, type QueuedDelivery, queuedDeliveryRows } from './model.ts';
import { wakeDigest, wakeUpOf, withWakes } from './plan-progress.ts';
import { withRows } from './published.ts';

/** Deliveries that the transaction of a change writes itself. More than these are planned in steps after it. */
const PLANNED_AT_ONCE = 1_000;

/** The fields of the due row of deliveries that are planned in steps. */
export interface UnplannedDetails {
  /** The events with deliveries that are not planned yet, in their order. */
  events: Addressed[];
  subscribers: Pick<Subscriber, '_id' | 'events'>[];
  /** How many deliveries of the first of these events are planned already (plan-in-steps.ts). */
  planned: number;
}

type Addressed = Pick<Event, '_id' | 'type' | 'webhook_id'> & Route;

/** The webhooks for which more decides than the type of an event, by their ids. */
interface Route {
  /** Those that do not get it: it is muted, about nothing that their filter names, or a lower level of what they get. */
  passed_by?: string[];
  /** The one that gets it unasked. */
  owner_id?: string | undefined;
  /** True: a channel gets it instead of `budget.exceeded`, so it waits as little. */
  is_exceeded?: true;
}

/**
 * Plans events of one organization with one delivery per event and webhook that subscribes (or that it is for), for the
 * transaction of the change that raises them. `webhooks` are all of the organization, as that transaction sees them, and
 * the plan conflicts with a change of them meanwhile (ADR 0160). An event that is for none of them is not written, so its
 * row does not show whether its cause existed before. Too many deliveries for one transaction are left to a due row. Pure.
 */
export function planEvents(
  events: readonly NewEvent[],
  { webhooks, guard }: Subscribers,
  nowMs: number,
): Plan {
  if (events.length === 0) return NO_PLAN;
  const routes = routesOf(events, webhooks);
  const raised = events.flatMap((event, index) => {
    const route = routes[index] ?? {};
    const isWanted = event.is_kept || webhooks.some((webhook) => isFor({ ...event, ...route }, webhook));
    return isWanted ? [{ row: rowOf(event, index, nowMs), route }] : [];
  });
  const writes = [...guard, ...raised.map(({ row }) => insertRow(eventRows, row))];
  const routed = raised.map(({ row, route }) => ({ ...row, ...route }));
  return joinPlans({ writes }, planFanOut(routed, webhooks, nowMs));
}

/** The routes of events: a channel is passed by with a level where it gets a higher one of the same. */
function routesOf(events: readonly NewEvent[], webhooks: readonly Subscriber[]): Route[] {
  const routed = events.map((event) => ({ event, route: routeOf(event, webhooks) }));
  const channels = webhooks.filter(isChannel);
  const ranked = routed.filter(({ event }) => event.level);
  for (const same of Map.groupBy(ranked, ({ event }) => event.level?.of).values())
    for (const { _id, events: types } of same.length > 1 ? channels : []) {
      const own = same.filter(({ event, route }) => isFor({ ...event, ...route }, { _id, events: types }));
      const [, ...lower] = own.toSorted((a, b) => rankOf(b.event) - rankOf(a.event));
      for (const { route } of lower) route.passed_by = [...(route.passed_by ?? []), _id];
    }
  return routed.map(({ route }) => route);
}

function rankOf({ level }: NewEvent): number {
  return level?.rank ?? 0;
}

function routeOf(event: NewEvent, webhooks: readonly Subscriber[]): Route {
  const { is_muted = false, owner_id, webhook_id } = event;
  const isAddressed = webhook_id !== undefined;
  // Only those that would get it: a batch of a thousand signals names them for each of its events in one row.
  const asking = webhooks.filter((webhook) => isFor(event, webhook));
  const passed = asking.filter((webhook) => {
    if (is_muted && isChannel(webhook)) return true;
    return !isAddressed && webhook._id !== owner_id && !isConcerned(webhook, event.concerns);
  });
  return {
    ...(passed.length === 0 ? {} : { passed_by: passed.map(({ _id }) => _id) }),
    ...(owner_id === undefined || isAddressed ? {} : { owner_id }),
    ...(event.type === 'budget.threshold' && rankOf(event) >= 100 ? { is_exceeded: true } : {}),
  };
}

/** Returns every webhook with every event that it subscribes to, one webhook after the other. */
export function pairsOf<Raised extends Addressed, Webhook extends Pick<Subscriber, '_id' | 'events'>>(
  events: readonly Raised[],
  subscribers: readonly Webhook[],
): { event: Raised; webhook: Webhook }[] {
  return subscribers.flatMap((webhook) =>
    events.filter((event) => isFor(event, webhook)).map((event) => ({ event, webhook })),
  );
}

export function isFor(
  { type, webhook_id, passed_by, owner_id }: Omit<Addressed, '_id'>,
  { _id, events }: Pick<Subscriber, '_id' | 'events'>,
): boolean {
  if (passed_by?.includes(_id)) return false;
  if (webhook_id !== undefined) return webhook_id === _id;
  if (owner_id === _id) return true;
  return events.some((named) => named === type);
}

function rowOf(event: NewEvent, index: number, nowMs: number): Event {
  const { type, org_id, webhook_id } = event;
  const _id = eventIdOf(event);
  const addressed = webhook_id === undefined ? {} : { webhook_id };
  const words = event.words === undefined ? {} : { words: JSON.stringify(event.words) };
  const body = envelopeOf(_id, event);
  return { _id, type, ...addressed, org_id, body, ...words, index, created_at: dateAt(nowMs) };
}

function planFanOut(
  events: readonly (Event & Route)[],
  subscribers: readonly Subscriber[],
  nowMs: number,
): Plan {
  const [first] = events;
  if (!first || !areTooMany(events, subscribers)) return planDeliveries(pairsOf(events, subscribers));
  const details: UnplannedDetails = {
    events: events.map(
      ({ body: _body, words: _words, org_id: _org, index: _index, created_at: _at, ...addressed }) =>
        addressed,
    ),
    subscribers: subscribers.map(({ _id, events: types }) => ({ _id, events: types })),
    planned: 0,
  };
  return insertDue(planDeliveriesJob, { key: first._id, orgId: first.org_id, dueMs: nowMs, details });
}

/** Counts no further than it must: there may be a thousand events for each of hundreds of webhooks. */
function areTooMany(events: readonly Addressed[], subscribers: readonly Subscriber[]): boolean {
  let pairs = 0;
  for (const webhook of subscribers)
    for (const event of events) {
      if (isFor(event, webhook)) pairs += 1;
      if (pairs > PLANNED_AT_ONCE) return true;
    }
  return false;
}

interface Pair {
  event: Event & Pick<Route, 'is_exceeded'>;
  webhook: Subscriber;
}

/**
 * Plans deliveries, each held when its webhook is paused, and later in its quiet hours or for its digest. Those that become
 * due together at one webhook share wake-ups. Pure.
 */
export function planDeliveries(pairs: readonly Pair[]): Plan {
  const together = Map.groupBy(
    pairs.map(deliveryOf),
    ({ webhook_id, state, at }) => `${webhook_id} ${state} ${state === 'pending' ? at : ''}`,
  );
  const rows = [...together.values()].flatMap(withWakes);
  const revisions = new Map(pairs.map(({ webhook }) => [webhook._id, webhook.revision]));
  const pending = rows.filter(({ state }) => state === 'pending');
  const anomalies = rows.filter(({ state, type }) => state === 'collected' && type === 'anomaly.detected');
  return {
    writes: rows.map((row) => insertRow(queuedDeliveryRows, row)),
    wakeUps: [
      ...[...Map.groupBy(pending, ({ wake }) => wake)].map(([wake, own]) =>
        withRows(wakeUpOf(wake, own), own, revisions.get(own[0]?.webhook_id ?? '') ?? 0),
      ),
      ...anomalies.map(wakeDigest),
    ],
  };
}

function deliveryOf({ event, webhook }: Pair): Omit<QueuedDelivery, 'wake'> {
  const atMs = event.created_at.getTime();
  const urgency = event.is_exceeded && isChannel(webhook) ? 'budget.exceeded' : event.type;
  const { dueMs, isCollected } = deliveryTime(urgency, webhook, atMs);
  const position = positionOf(event);
  return {
    _id: derivedId('dlv', event._id, webhook._id),
    event_id: event._id,
    webhook_id: webhook._id,
    org_id: event.org_id,
    type: event.type,
    body: event.body,
    ...(isChannel(webhook) && event.words !== undefined ? { words: event.words } : {}),
    ...(isPaused(webhook) && !isCollected
      ? { state: 'held', at: position }
      : { state: isCollected ? 'collected' : 'pending', at: dueMs }),
    round: 1,
    attempt: 1,
    position,
    attempts: [],
    created_at: event.created_at,
  };
}
