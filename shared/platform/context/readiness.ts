import type { Context } from './context.ts';
import { partsReady } from './metrics.ts';

export type Part = 'mongo' | 'redis';
export interface Readiness {
  status: 'ready' | 'degraded' | 'down';
  parts: Record<Part, 'ok' | 'failing'>;
}

const PROBE_TIMEOUT_MS = 1_000;

/** Asks both stores. `down` only when neither group can serve: losing MongoDB must not stop credits being spent. */
export async function readReadiness(ctx: Context): Promise<Readiness> {
  const [mongo, redis] = await Promise.all([
    answers(() => ctx.db.connection.db?.command({ ping: 1 }) ?? Promise.reject(new Error('not connected'))),
    answers(() => Promise.all([ctx.redis.producer.ping(), ctx.redis.queues.ping()])),
  ]);
  partsReady(ctx).set({ part: 'mongo' }, mongo ? 1 : 0);
  partsReady(ctx).set({ part: 'redis' }, redis ? 1 : 0);
  return {
    status: mongo && redis ? 'ready' : mongo || redis ? 'degraded' : 'down',
    parts: { mongo: mongo ? 'ok' : 'failing', redis: redis ? 'ok' : 'failing' },
  };
}

async function answers(probe: () => Promise<unknown>): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => timeout.resolve(false), PROBE_TIMEOUT_MS);
  try {
    return await Promise.race([probe().then(() => true), timeout.promise]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
