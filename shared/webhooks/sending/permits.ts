import { type Dispatcher, Pool } from 'undici';
import type { Context } from '../../platform/context/context.ts';
import { guardOf } from '../endpoints/url-guard.ts';
import {
  allEndpoints,
  capacityOf,
  defer,
  type Endpoint,
  endpointOf,
  hasRoom,
  IN_FLIGHT,
  knownEndpoint,
} from './endpoint.ts';
import { fetchDeferred } from './fetch-deferred.ts';

const RECENT_MS = 60_000;

/** The right to have one request to an endpoint in flight. */
export interface Permit {
  /** Keeps connections alive between attempts, each to an address that was checked. */
  connectTo(url: URL): Dispatcher;
  /**
   * The request has ended: another may begin. `answered`: whether the endpoint said anything. With `restMs` (milliseconds)
   * it may so much later, and the endpoint keeps the few permits of a silent one.
   */
  release(answered: boolean, restMs?: number): void;
  /** The outcome is written, or given up. */
  finish(): void;
}

/**
 * Permits of an endpoint, each at once or when one before it is released. Null when its list is full: these deliveries
 * stay in the store alone and are fetched from there once the endpoint has room, so that an endpoint which hangs holds
 * only its own few permits. All of one wake-up find room or none does, because what is left is woken again only when
 * their job has ended.
 */
export function takePermits(ctx: Context, webhookId: string, count: number): Promise<Permit | null>[] {
  const endpoint = endpointOf(ctx, webhookId);
  if (endpoint.inFlight === 0) endpoint.progressMs = performance.now();
  // How long its row has been due is not known here; the sweeper defers what is older, with its time.
  const dueMs = ctx.clock.now() - RECENT_MS;
  const isFull = !hasRoom(endpoint) && endpoint.waiting.length >= capacityOf(endpoint);
  if (isFull) defer(endpoint, dueMs);
  return Array.from({ length: count }, async () =>
    !isFull && (await waitForRoom(endpoint, dueMs)) ? permitOf(ctx, endpoint) : null,
  );
}

/** One permit of an endpoint, or null when its list is full. */
export async function takePermit(ctx: Context, webhookId: string): Promise<Permit | null> {
  const [permit] = takePermits(ctx, webhookId, 1);
  return (await permit) ?? null;
}

/** Leaves a due row to this process when it is at that endpoint anyway, instead of waking it again. */
export function deferToBusyEndpoint(ctx: Context, webhookId: string, dueMs: number): boolean {
  const endpoint = knownEndpoint(ctx, webhookId);
  if (!endpoint || endpoint.inFlight === 0) return false;
  defer(endpoint, dueMs);
  return true;
}

/** Gives everything that waits for a permit back to the store, for a process that stops. */
export function cancelWaiters(ctx: Context): void {
  for (const endpoint of allEndpoints(ctx))
    for (const { resolve } of endpoint.waiting.splice(0)) resolve(false);
}

async function waitForRoom(endpoint: Endpoint, dueMs: number): Promise<boolean> {
  if (hasRoom(endpoint)) {
    begin(endpoint);
    return true;
  }
  const { promise, resolve } = Promise.withResolvers<boolean>();
  endpoint.waiting.push({ resolve, dueMs });
  return promise;
}

function permitOf(ctx: Context, endpoint: Endpoint): Permit {
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
    release: (answered, restMs = 0) => {
      if (restMs === 0) release(ctx, endpoint, answered);
      else setTimeout(() => release(ctx, endpoint, false), restMs).unref();
    },
    finish: () => {
      endpoint.unfinished -= 1;
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
    deferExcess(endpoint);
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
    next.resolve(true);
  }
  if (endpoint.deferredSinceMs !== null && endpoint.waiting.length <= capacityOf(endpoint) / 2)
    void fetchDeferred(ctx, endpoint);
}

/** The endpoint has stopped answering with a long list: what is beyond its capacity goes back to the store. */
function deferExcess(endpoint: Endpoint): void {
  for (const { resolve, dueMs } of endpoint.waiting.splice(capacityOf(endpoint))) {
    defer(endpoint, dueMs);
    resolve(false);
  }
}
