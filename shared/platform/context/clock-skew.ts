import { within } from '../basics/within.ts';
import type { Context } from './context.ts';

/** A clock that is further from those of the stores is wrong. Milliseconds. */
export const CLOCK_TOLERANCE_MS = 5_000;

/** A store that takes longer shows no time. */
const PATIENCE_MS = 1_000;

/**
 * By how many ms the clock of this process is ahead of those of the stores, negative when it is behind. Of the two stores
 * the one counts that is nearer, so that one wrong store makes no process wrong. Null when neither answers in time.
 */
export async function measureClockSkew(ctx: Context): Promise<number | null> {
  const skews = await Promise.all([skewTo(ctx, () => redisMs(ctx)), skewTo(ctx, () => mongoMs(ctx))]);
  const known = skews.filter((skewMs) => skewMs !== null);
  return known.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0] ?? null;
}

/** A sentence for `/readyz` when the clock of this process is wrong, else null. */
export async function warnOfClock(ctx: Context): Promise<string | null> {
  const skewMs = await measureClockSkew(ctx);
  if (skewMs === null || Math.abs(skewMs) <= CLOCK_TOLERANCE_MS) return null;
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  return `The clock of this process is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} those of the stores.`;
}

/** The store is taken to have looked halfway between question and answer. */
async function skewTo(ctx: Context, ask: () => Promise<number>): Promise<number | null> {
  try {
    const askedMs = performance.now();
    const shownMs = await within(PATIENCE_MS, 'A clock', ask());
    const tookMs = performance.now() - askedMs;
    // A process that stood still meanwhile may find the answer before it finds that it is late, and a connection that
    // breaks may answer without a time.
    if (tookMs > PATIENCE_MS || !Number.isFinite(shownMs)) return null;
    return Math.round(ctx.clock.now() - tookMs / 2 - shownMs);
  } catch {
    return null;
  }
}

async function redisMs(ctx: Context): Promise<number> {
  const [seconds, micros] = await ctx.redis.producer.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

async function mongoMs(ctx: Context): Promise<number> {
  const answer = await ctx.db.connection.db?.command({ hello: 1 });
  const { localTime } = answer as { localTime: Date };
  return localTime.getTime();
}
