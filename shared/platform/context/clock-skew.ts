import { within } from '../basics/within.ts';
import type { Context } from './context.ts';

/** A clock that is further from those of the stores is wrong. Milliseconds. */
export const CLOCK_TOLERANCE_MS = 5_000;

/** A store that takes longer shows no time. */
const PATIENCE_MS = 1_000;

/**
 * Returns by how many ms the clock of this process is ahead of those of the stores, negative when it is behind. It takes
 * the smaller skew, so that one store with a wrong clock stops no process. Null when neither answers in time.
 */
export async function measureClockSkew(ctx: Context): Promise<number | null> {
  const [nearest] = await measureSkews(ctx);
  return nearest?.skewMs ?? null;
}

/** A sentence for `/readyz` when the clock of this process is wrong, or that of one store, else null. */
export async function warnOfClock(ctx: Context): Promise<string | null> {
  const [nearest, other] = await measureSkews(ctx);
  if (nearest && isWrong(nearest)) return warn('this process', nearest.skewMs, 'those of the stores');
  if (other && isWrong(other)) return warn(other.store, -other.skewMs, 'the others');
  return null;
}

/** By how many ms the clock of this process is ahead of a store's. */
interface Skew {
  store: string;
  skewMs: number;
}

/** The stores that show a time, the nearer first. */
async function measureSkews(ctx: Context): Promise<Skew[]> {
  const [redis, mongo] = await Promise.all([
    skewTo(ctx, () => redisMs(ctx)),
    skewTo(ctx, () => mongoMs(ctx)),
  ]);
  const skews = [
    { store: 'Redis', skewMs: redis },
    { store: 'MongoDB', skewMs: mongo },
  ];
  const known = skews.filter((skew): skew is Skew => skew.skewMs !== null);
  return known.toSorted((a, b) => Math.abs(a.skewMs) - Math.abs(b.skewMs));
}

function isWrong({ skewMs }: Skew): boolean {
  return Math.abs(skewMs) > CLOCK_TOLERANCE_MS;
}

function warn(whose: string, aheadMs: number, others: string): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  return `The clock of ${whose} is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${others}.`;
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
