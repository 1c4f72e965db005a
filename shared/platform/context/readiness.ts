import { within } from '../basics/within.ts';
import { PROBE_KEY } from '../redis/keys.ts';
import type { Context } from './context.ts';
import { partsReady } from './metrics.ts';

export type Part = 'mongo' | 'redis';
export interface Readiness {
  status: 'ready' | 'degraded' | 'down';
  parts: Record<Part, 'ok' | 'failing'>;
  /** Sentences for an operator; absent when there are none. */
  warnings?: string[];
}

/** Something that an operator should look at though the process serves: a sentence without names, or null. */
export type Warning = (ctx: Context) => Promise<string | null>;

const PROBE_TIMEOUT_MS = 1_000;

/**
 * Asks both stores, Redis whether it takes writes. `down` only when neither group can serve: losing MongoDB must not stop
 * credits being spent. A warning makes it `degraded`.
 */
export async function readReadiness(ctx: Context, warnings: readonly Warning[]): Promise<Readiness> {
  const [mongo, redis] = await Promise.all([
    answers(() => ctx.db.connection.db?.command({ ping: 1 }) ?? Promise.reject(new Error('not connected'))),
    // A write of nothing: a Redis that answers but is full, read-only or short of replicas refuses it.
    answers(() => Promise.all(Object.values(ctx.redis).map((client) => client.setrange(PROBE_KEY, 0, '')))),
  ]);
  partsReady(ctx).set({ part: 'mongo' }, mongo ? 1 : 0);
  partsReady(ctx).set({ part: 'redis' }, redis ? 1 : 0);
  const parts = { mongo: mongo ? 'ok' : 'failing', redis: redis ? 'ok' : 'failing' } as const;
  if (!mongo || !redis) return { status: mongo || redis ? 'degraded' : 'down', parts };
  const said = await readWarnings(ctx, warnings);
  return said.length === 0 ? { status: 'ready', parts } : { status: 'degraded', parts, warnings: said };
}

/** Reads the warnings. One that is not read in time is left out: the stores have answered. */
async function readWarnings(ctx: Context, warnings: readonly Warning[]): Promise<string[]> {
  const asked = warnings.map((warning) => within(PROBE_TIMEOUT_MS, 'A warning', warning(ctx)));
  const said = await Promise.allSettled(asked);
  return said.flatMap((each) => (each.status === 'fulfilled' && each.value !== null ? [each.value] : []));
}

async function answers(probe: () => Promise<unknown>): Promise<boolean> {
  try {
    await within(PROBE_TIMEOUT_MS, 'A store', probe());
    return true;
  } catch {
    return false;
  }
}
