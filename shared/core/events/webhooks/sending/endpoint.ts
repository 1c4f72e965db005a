import { type Dispatcher, Pool } from 'undici';
import type { Context } from '../../../../platform/context/context.ts';
import { perContext } from '../../../../platform/context/per-context.ts';
import type { Attempt } from '../deliveries/model.ts';
import { wakeDue } from '../deliveries/plan-progress.ts';
import { guardOf } from '../endpoints/url-guard.ts';

/** Requests in flight at one endpoint from one process. The limit grows with answers and shrinks with silence. */
const IN_FLIGHT = { first: 8, least: 4, most: 64 } as const;
/** In flight, or answered and not yet recorded: a crash sends at most these again. */
const UNRECORDED_AT_MOST = 2 * IN_FLIGHT.most;
/** Waiting in one process for one endpoint. For a silent one it is as many as may be in flight. */
const WAITING_AT_MOST = 2_000;
const WOKEN_AT_ONCE = 1_000;
const SILENT_AFTER_MS = 1_000;
const EVICT_AFTER_MS = 60_000;
const BLOCKED_MS = 300_000;

/** The state of one webhook's endpoint in one process. Times are of the monotonic clock. */
export interface Endpoint {
  webhookId: string;
  pool: Pool | null;
  inFlight: number;
  mostInFlight: number;
  /** Permits that are not finished, those in flight among them. */
  unfinished: number;
  waiting: ((hasPermit: boolean) => void)[];
  /** When it last answered, or began to have something to answer. */
  progressMs: number;
  lastUseMs: number;
  /** Until then its deliveries wait in the store, because one could not even be attempted. */
  blockedUntilMs: number;
  /** The store has due deliveries that its list had no room for. */
  hasMoreDue: boolean;
  isWaking: boolean;
}

/** The right to have one request to an endpoint in flight. */
export interface Permit {
  /** Keeps connections alive between attempts, each to an address that was checked. */
  connectTo(url: URL): Dispatcher;
  /**
   * The request has ended, and another may begin. `answered`: the endpoint said anything, or refused at once. With `restMs` (milliseconds) the
   * next one begins so much later, and the endpoint's limit does not grow.
   */
  release(answered: boolean, restMs?: number): void;
  /** The outcome is recorded, or given up. */
  finish(): void;
}

const endpointsOf = perContext(() => ({
  byWebhook: new Map<string, Endpoint>(),
  evictedMs: performance.now(),
}));

/** Returns the endpoint of a webhook. Endpoints never share permits. */
export function endpointOf(ctx: Context, webhookId: string): Endpoint {
  const endpoints = endpointsOf(ctx);
  const nowMs = performance.now();
  if (nowMs - endpoints.evictedMs >= EVICT_AFTER_MS) {
    endpoints.evictedMs = nowMs;
    evictIdle(endpoints.byWebhook, nowMs);
  }
  const known = endpoints.byWebhook.get(webhookId);
  if (known) return known;
  const fresh: Endpoint = {
    webhookId,
    pool: null,
    inFlight: 0,
    mostInFlight: IN_FLIGHT.first,
    unfinished: 0,
    waiting: [],
    progressMs: nowMs,
    lastUseMs: nowMs,
    blockedUntilMs: 0,
    hasMoreDue: false,
    isWaking: false,
  };
  endpoints.byWebhook.set(webhookId, fresh);
  return fresh;
}

/**
 * Returns permits of an endpoint, each at once or when one before it is released. Null when its list is full: these
 * deliveries stay in the store alone until the endpoint has room, so that one that hangs has only its own few permits. All
 * of one wake-up find room or none does, because what is left can be woken again only when their job has ended.
 */
export function takePermits(ctx: Context, endpoint: Endpoint, count: number): Promise<Permit | null>[] {
  if (endpoint.inFlight === 0) endpoint.progressMs = performance.now();
  const isFull = !hasRoom(endpoint) && endpoint.waiting.length >= capacityOf(endpoint);
  if (isFull) endpoint.hasMoreDue = true;
  return Array.from({ length: count }, async () =>
    !isFull && (await waitForRoom(endpoint)) ? permitOf(ctx, endpoint) : null,
  );
}

/** Leaves the deliveries of a webhook in the store for five minutes, so that what always fails delays nothing else. */
export function blockEndpoint(endpoint: Endpoint): void {
  endpoint.blockedUntilMs = performance.now() + BLOCKED_MS;
}

/** True unless an attempt ended in silence. A refusal that comes at once holds up nothing, so it is as good as an answer. */
export function isAnswered({ status, latency_ms }: Pick<Attempt, 'status' | 'latency_ms'>): boolean {
  return status !== null || latency_ms < SILENT_AFTER_MS;
}

/** False when the sweep must not wake a webhook: its endpoint is blocked here, or busy here and wakes what is due itself. */
export function isSweepable(ctx: Context, webhookId: string): boolean {
  const endpoint = endpointsOf(ctx).byWebhook.get(webhookId);
  if (!endpoint) return true;
  if (endpoint.inFlight > 0) endpoint.hasMoreDue = true;
  return endpoint.inFlight === 0 && !isBlocked(endpoint);
}

/** Gives everything that waits for a permit back to the store, for a process that stops. */
export function cancelWaiters(ctx: Context): void {
  for (const { waiting } of endpointsOf(ctx).byWebhook.values())
    for (const resolve of waiting.splice(0)) resolve(false);
}

/** Wakes due deliveries of the store once half the endpoint's list is free. */
export async function wakeMore(ctx: Context, endpoint: Endpoint): Promise<void> {
  const room = Math.floor(capacityOf(endpoint) / 2);
  if (!endpoint.hasMoreDue || endpoint.isWaking || endpoint.waiting.length > room) return;
  endpoint.hasMoreDue = false;
  if (isBlocked(endpoint)) return;
  endpoint.isWaking = true;
  // The oldest are under way already.
  const most = endpoint.inFlight + endpoint.waiting.length + Math.min(WOKEN_AT_ONCE, Math.max(1, room));
  try {
    const found = await wakeDue(ctx, endpoint.webhookId, { untilMs: ctx.clock.now(), most });
    if (found === most) endpoint.hasMoreDue = true;
  } catch (error) {
    endpoint.hasMoreDue = true;
    ctx.log.warn({ err: error, webhook_id: endpoint.webhookId }, 'due deliveries were not woken');
  } finally {
    endpoint.isWaking = false;
  }
}

function hasRoom({ inFlight, mostInFlight, unfinished }: Endpoint): boolean {
  return inFlight < mostInFlight && unfinished < UNRECORDED_AT_MOST;
}

function capacityOf(endpoint: Endpoint): number {
  const isSilent = endpoint.inFlight > 0 && performance.now() - endpoint.progressMs > SILENT_AFTER_MS;
  return isSilent ? endpoint.mostInFlight : WAITING_AT_MOST;
}

function isBlocked({ blockedUntilMs }: Endpoint): boolean {
  return performance.now() < blockedUntilMs;
}

async function waitForRoom(endpoint: Endpoint): Promise<boolean> {
  if (!hasRoom(endpoint)) return new Promise((resolve) => endpoint.waiting.push(resolve));
  begin(endpoint);
  return true;
}

function permitOf(ctx: Context, endpoint: Endpoint): Permit {
  let isReleased = false;
  const permit: Permit = {
    connectTo: (url) => {
      endpoint.pool ??= new Pool(url.origin, {
        connect: guardOf(ctx).connect,
        connections: IN_FLIGHT.most,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      return endpoint.pool;
    },
    release: (answered, restMs = 0) => {
      isReleased = true;
      if (restMs === 0) release(ctx, endpoint, answered);
      else setTimeout(() => release(ctx, endpoint, false), restMs).unref();
    },
    finish: () => {
      if (!isReleased) permit.release(true);
      endpoint.unfinished -= 1;
      beginWaiting(ctx, endpoint);
    },
  };
  return permit;
}

function release(ctx: Context, endpoint: Endpoint, answered: boolean): void {
  endpoint.inFlight -= 1;
  endpoint.lastUseMs = performance.now();
  if (answered) {
    endpoint.progressMs = endpoint.lastUseMs;
    endpoint.mostInFlight = Math.min(IN_FLIGHT.most, endpoint.mostInFlight + 1);
  } else {
    endpoint.mostInFlight = Math.max(IN_FLIGHT.least, Math.floor(endpoint.mostInFlight / 2));
    // It may have stopped answering with a long list: the excess goes back to the store.
    for (const resolve of endpoint.waiting.splice(capacityOf(endpoint))) {
      endpoint.hasMoreDue = true;
      resolve(false);
    }
  }
  beginWaiting(ctx, endpoint);
}

function begin(endpoint: Endpoint): void {
  endpoint.inFlight += 1;
  endpoint.unfinished += 1;
}

function beginWaiting(ctx: Context, endpoint: Endpoint): void {
  while (hasRoom(endpoint)) {
    const next = endpoint.waiting.shift();
    if (!next) break;
    begin(endpoint);
    next(true);
  }
  void wakeMore(ctx, endpoint);
}

function evictIdle(byWebhook: Map<string, Endpoint>, nowMs: number): void {
  for (const [webhookId, endpoint] of byWebhook) {
    const isBusy =
      endpoint.unfinished + endpoint.inFlight + endpoint.waiting.length > 0 || endpoint.hasMoreDue;
    if (isBusy || isBlocked(endpoint) || nowMs - endpoint.lastUseMs < EVICT_AFTER_MS) continue;
    byWebhook.delete(webhookId);
    void endpoint.pool?.close();
  }
}
