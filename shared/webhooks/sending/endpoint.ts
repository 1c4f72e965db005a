import type { Pool } from 'undici';
import type { Context } from '../../platform/context/context.ts';
import { perContext } from '../../platform/context/per-context.ts';

/** In flight at one endpoint from one process: grows with answers, shrinks with silence. */
export const IN_FLIGHT = { first: 8, least: 4, most: 64 } as const;
/** In flight, or answered and not yet recorded: a crash never sends more than these again. */
const UNRECORDED_AT_MOST = 2 * IN_FLIGHT.most;
/** Waiting in one process for an endpoint; for one that is silent, as many as are in flight. */
const WAITING_AT_MOST = 2_000;
const SILENT_AFTER_MS = 1_000;
const EVICT_AFTER_MS = 60_000;

/** What one process has under way at the endpoint of one webhook. */
export interface Endpoint {
  webhookId: string;
  pool: Pool | null;
  inFlight: number;
  mostInFlight: number;
  /** Permits that are not finished, those in flight among them. */
  unfinished: number;
  waiting: { resolve: (hasPermit: boolean) => void; dueMs: number }[];
  /** When it last answered, or began to have something to answer; of the monotonic clock. */
  progressMs: number;
  lastUseMs: number;
  /** Set while due rows are left to the store: when the oldest of them was due, epoch ms. */
  deferredSinceMs: number | null;
  fetching: boolean;
}

interface Endpoints {
  byWebhook: Map<string, Endpoint>;
  evictedMs: number;
}

const endpointsOf = perContext((): Endpoints => ({ byWebhook: new Map(), evictedMs: performance.now() }));

/** The endpoint of a webhook, made when it is first asked for. Endpoints never share permits. */
export function endpointOf(ctx: Context, webhookId: string): Endpoint {
  const endpoints = endpointsOf(ctx);
  evictIdle(endpoints);
  const known = endpoints.byWebhook.get(webhookId);
  if (known) return known;
  const nowMs = performance.now();
  const fresh: Endpoint = {
    webhookId,
    pool: null,
    inFlight: 0,
    mostInFlight: IN_FLIGHT.first,
    unfinished: 0,
    waiting: [],
    progressMs: nowMs,
    lastUseMs: nowMs,
    deferredSinceMs: null,
    fetching: false,
  };
  endpoints.byWebhook.set(webhookId, fresh);
  return fresh;
}

/** The endpoint of a webhook if this process knows it. */
export function knownEndpoint(ctx: Context, webhookId: string): Endpoint | undefined {
  return endpointsOf(ctx).byWebhook.get(webhookId);
}

/** All endpoints that this process knows. */
export function allEndpoints(ctx: Context): Iterable<Endpoint> {
  return endpointsOf(ctx).byWebhook.values();
}

/** Whether another request to the endpoint may begin. */
export function hasRoom({ inFlight, mostInFlight, unfinished }: Endpoint): boolean {
  return inFlight < mostInFlight && unfinished < UNRECORDED_AT_MOST;
}

/** How many may wait for the endpoint. */
export function capacityOf(endpoint: Endpoint): number {
  const isSilent = endpoint.inFlight > 0 && performance.now() - endpoint.progressMs > SILENT_AFTER_MS;
  return isSilent ? endpoint.mostInFlight : WAITING_AT_MOST;
}

/** Leaves to the store what has been due since `dueMs` (epoch ms), until the endpoint has room. */
export function defer(endpoint: Endpoint, dueMs: number): void {
  endpoint.deferredSinceMs = Math.min(endpoint.deferredSinceMs ?? dueMs, dueMs);
}

function evictIdle(endpoints: Endpoints): void {
  const nowMs = performance.now();
  if (nowMs - endpoints.evictedMs < EVICT_AFTER_MS) return;
  endpoints.evictedMs = nowMs;
  for (const [webhookId, endpoint] of endpoints.byWebhook) {
    const { inFlight, unfinished, waiting, deferredSinceMs, lastUseMs } = endpoint;
    const isIdle = inFlight + unfinished === 0 && waiting.length === 0 && deferredSinceMs === null;
    if (!isIdle || nowMs - lastUseMs < EVICT_AFTER_MS) continue;
    endpoints.byWebhook.delete(webhookId);
    void endpoint.pool?.close();
  }
}
