import { type Dispatcher, Pool } from 'undici';
import { walkPage } from '../platform/basics/paginate.ts';
import type { Context } from '../platform/context/context.ts';

import { perContext } from '../platform/context/per-context.ts';
import { createGuard, type Guard } from './guard.ts';
import { queuedDeliveryRows } from './model.ts';
import { WAKEABLE, type Wakeable, wakeDeliveries } from './plan-deliveries.ts';

/** In flight at one endpoint from one process: grows with answers, shrinks with silence. */
const IN_FLIGHT = { first: 8, least: 4, most: 64 } as const;
/** Under way or answered and not yet recorded: what a crash sends again is never more. */
const UNRECORDED_AT_MOST = 2 * IN_FLIGHT.most;
/** Waiting in one process for an endpoint; for one that is silent, as many as are in flight. */
const WAITING_AT_MOST = 2_000;
const SILENT_AFTER_MS = 1_000;
const FETCH_AT_ONCE = 1_000;
const FORGET_AFTER_MS = 60_000;
const RECENT_MS = 60_000;

export interface Slot {
  /** Keeps connections alive between attempts, each to an address that was checked. */
  connectTo(url: URL): Dispatcher;
  /** The request has ended: another may begin. `answered`: whether the endpoint said anything. */
  release(answered: boolean): void;
  /** What came of it is written, or given up. */
  settle(): void;
}

interface Endpoint {
  webhookId: string;
  pool: Pool | null;
  inFlight: number;
  mostInFlight: number;
  /** Slots that are not settled, those in flight among them. */
  unsettled: number;
  waiting: { resolve: (has: boolean) => void; dueMs: number }[];
  /** When it last answered, or began to have something to answer; of the monotonic clock. */
  progressMs: number;
  lastUseMs: number;
  /** Set while due rows were left in the store: when the oldest of them was due, epoch ms. */
  leftSinceMs: number | null;
  fetching: boolean;
}

/** What one process has under way, an endpoint each; slots are never shared between endpoints. */
interface Endpoints {
  byWebhook: Map<string, Endpoint>;
  guard: Guard;
  tidiedMs: number;
}

const endpointsOf = perContext(
  (ctx): Endpoints => ({
    byWebhook: new Map(),
    guard: createGuard(ctx.config),
    tidiedMs: performance.now(),
  }),
);

export function guardOf(ctx: Context): Guard {
  return endpointsOf(ctx).guard;
}

/**
 * Slots of the endpoint: each at once, or when one before it is released. Null when its list is full: the deliveries then
 * stay in the store alone and are fetched from there once the endpoint has room, so that an endpoint which hangs holds
 * its own few slots and nothing of anybody else's. All of one wake-up find room or none does, because what is left is
 * woken again only when their job has ended.
 */
export function takeSlots(ctx: Context, webhookId: string, count: number): Promise<Slot | null>[] {
  const endpoint = endpointOf(ctx, webhookId);
  if (endpoint.inFlight === 0) endpoint.progressMs = performance.now();
  // Since when its row is due is not known here; the sweeper leaves what is older, with its time.
  const dueMs = ctx.clock.now() - RECENT_MS;
  const isFull = !hasRoom(endpoint) && endpoint.waiting.length >= roomOf(endpoint);
  if (isFull) leave(endpoint, dueMs);
  return Array.from({ length: count }, async () =>
    !isFull && (await hasSlot(endpoint, dueMs)) ? slotOf(ctx, endpoint) : null,
  );
}

export async function takeSlot(ctx: Context, webhookId: string): Promise<Slot | null> {
  const [slot] = takeSlots(ctx, webhookId, 1);
  return (await slot) ?? null;
}

async function hasSlot(endpoint: Endpoint, dueMs: number): Promise<boolean> {
  if (hasRoom(endpoint)) {
    begin(endpoint);
    return true;
  }
  const { promise, resolve } = Promise.withResolvers<boolean>();
  endpoint.waiting.push({ resolve, dueMs });
  return promise;
}

/** Leaves a due row to this process when it is at that endpoint anyway, instead of waking it again. */
export function leaveToBusyEndpoint(ctx: Context, webhookId: string, dueMs: number): boolean {
  const endpoint = endpointsOf(ctx).byWebhook.get(webhookId);
  if (!endpoint || endpoint.inFlight === 0) return false;
  leave(endpoint, dueMs);
  return true;
}

/** Gives all that waits back to the store, for a process that stops. */
export function letGoOfWaiting(ctx: Context): void {
  for (const endpoint of endpointsOf(ctx).byWebhook.values())
    for (const { resolve } of endpoint.waiting.splice(0)) resolve(false);
}

function endpointOf(ctx: Context, webhookId: string): Endpoint {
  const endpoints = endpointsOf(ctx);
  tidy(endpoints);
  const known = endpoints.byWebhook.get(webhookId);
  if (known) return known;
  const fresh: Endpoint = {
    webhookId,
    pool: null,
    inFlight: 0,
    mostInFlight: IN_FLIGHT.first,
    unsettled: 0,
    waiting: [],
    progressMs: performance.now(),
    lastUseMs: performance.now(),
    leftSinceMs: null,
    fetching: false,
  };
  endpoints.byWebhook.set(webhookId, fresh);
  return fresh;
}

function roomOf(endpoint: Endpoint): number {
  const isSilent = endpoint.inFlight > 0 && performance.now() - endpoint.progressMs > SILENT_AFTER_MS;
  return isSilent ? endpoint.mostInFlight : WAITING_AT_MOST;
}

function leave(endpoint: Endpoint, dueMs: number): void {
  endpoint.leftSinceMs = Math.min(endpoint.leftSinceMs ?? dueMs, dueMs);
}

function slotOf(ctx: Context, endpoint: Endpoint): Slot {
  return {
    connectTo: (url) => {
      endpoint.pool ??= new Pool(url.origin, {
        connect: guardOf(ctx).connect,
        connections: IN_FLIGHT.most,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      return endpoint.pool;
    },
    release: (answered) => release(ctx, endpoint, answered),
    settle: () => {
      endpoint.unsettled -= 1;
      beginWaiting(ctx, endpoint);
    },
  };
}

function release(ctx: Context, endpoint: Endpoint, answered: boolean): void {
  endpoint.inFlight -= 1;
  endpoint.lastUseMs = performance.now();
  if (answered) {
    endpoint.progressMs = endpoint.lastUseMs;
    endpoint.mostInFlight = Math.min(IN_FLIGHT.most, endpoint.mostInFlight + 1);
  } else {
    endpoint.mostInFlight = Math.max(IN_FLIGHT.least, Math.floor(endpoint.mostInFlight / 2));
    giveUpExcess(endpoint);
  }
  beginWaiting(ctx, endpoint);
}

function hasRoom({ inFlight, mostInFlight, unsettled }: Endpoint): boolean {
  return inFlight < mostInFlight && unsettled < UNRECORDED_AT_MOST;
}

function begin(endpoint: Endpoint): void {
  endpoint.inFlight += 1;
  endpoint.unsettled += 1;
}

function beginWaiting(ctx: Context, endpoint: Endpoint): void {
  while (hasRoom(endpoint)) {
    const next = endpoint.waiting.shift();
    if (!next) break;
    begin(endpoint);
    next.resolve(true);
  }
  if (endpoint.leftSinceMs !== null && endpoint.waiting.length <= roomOf(endpoint) / 2)
    void fetchLeft(ctx, endpoint);
}

/** It has stopped answering with a long list: what is beyond its room goes back to the store. */
function giveUpExcess(endpoint: Endpoint): void {
  for (const { resolve, dueMs } of endpoint.waiting.splice(roomOf(endpoint))) {
    leave(endpoint, dueMs);
    resolve(false);
  }
}

/** Wakes what was left in the store, oldest first; what is still queued or under way somewhere is not woken twice. */
async function fetchLeft(ctx: Context, endpoint: Endpoint): Promise<void> {
  if (endpoint.fetching || endpoint.leftSinceMs === null) return;
  endpoint.fetching = true;
  const fromMs = endpoint.leftSinceMs;
  endpoint.leftSinceMs = null;
  try {
    const underWay = endpoint.inFlight + endpoint.waiting.length;
    const limit = Math.min(FETCH_AT_ONCE, Math.ceil(roomOf(endpoint) / 2)) + underWay;
    const { rows, hasMore } = await findDue(ctx, endpoint.webhookId, fromMs, limit);
    if (hasMore) leave(endpoint, rows[0]?.at ?? fromMs);
    wakeDeliveries(ctx, rows);
  } catch (error) {
    leave(endpoint, fromMs);
    ctx.log.warn({ err: error, webhook_id: endpoint.webhookId }, 'due deliveries were not fetched');
  } finally {
    endpoint.fetching = false;
  }
}

async function findDue(ctx: Context, webhookId: string, fromMs: number, limit: number) {
  return walkPage<Wakeable>({
    order: 'asc',
    fromMs,
    toMs: ctx.clock.now() + 1,
    after: { atMs: fromMs - 1, id: '', spanMs: 250 },
    limit,
    position: ({ at, _id }) => ({ atMs: at, id: _id }),
    fetchTies: async () => [],
    fetchRange: (from, to, most) =>
      queuedDeliveryRows(ctx)
        .find({ webhook_id: webhookId, state: 'pending', at: { $gte: from, $lt: to } })
        .project<Wakeable>(WAKEABLE)
        .sort({ at: 1 })
        .limit(most)
        .toArray(),
  });
}

function tidy(endpoints: Endpoints): void {
  const nowMs = performance.now();
  if (nowMs - endpoints.tidiedMs < FORGET_AFTER_MS) return;
  endpoints.tidiedMs = nowMs;
  for (const [webhookId, endpoint] of endpoints.byWebhook) {
    const isIdle = endpoint.unsettled === 0 && endpoint.waiting.length === 0 && endpoint.leftSinceMs === null;
    if (!isIdle || nowMs - endpoint.lastUseMs < FORGET_AFTER_MS) continue;
    endpoints.byWebhook.delete(webhookId);
    void endpoint.pool?.close();
  }
}
