import { systemClock } from '../../../platform/basics/clock.ts';
import type { Context } from '../../../platform/context/context.ts';
import { perContext } from '../../../platform/context/per-context.ts';
import { sendScript } from '../../../platform/context/send-script.ts';
import { shardKeys, slotName } from '../../../platform/redis/keys.ts';
import { IDENTITY, loadScript } from '../../../platform/redis/script.ts';

/** Redis' clock as last seen, and when that was by a clock that is never set. */
interface Sample {
  redisMs: number;
  atMs: number;
}

const samplesOf = perContext((ctx) => {
  const samples = new Map<string | number, Sample>();
  // Another server, or the same one after a failover, may show another time.
  ctx.redis.meter.on('close', () => samples.clear());
  return samples;
});
const askTime = loadScript(IDENTITY, new URL('redis-time.lua', import.meta.url));

/**
 * Redis' clock now, in ms, at most a little behind it: a wrong wall clock of this process changes nothing. In a cluster
 * every shard has its own.
 */
export async function redisNow(ctx: Context, shard: number): Promise<number> {
  const sample = samplesOf(ctx).get(slotName(ctx.redis.meter, shard));
  if (sample) return Math.floor(sample.redisMs + performance.now() - sample.atMs);
  const shownMs = Number(await sendScript(ctx, askTime, [shardKeys(shard).epoch], []));
  noteRedisTime(ctx, shard, shownMs);
  return shownMs;
}

/** Notes the time that an answer brought along. */
export function noteRedisTime(ctx: Context, shard: number, redisMs: number): void {
  samplesOf(ctx).set(slotName(ctx.redis.meter, shard), { redisMs, atMs: performance.now() });
}

/** The argument `now` of scripts: empty, so that they ask Redis, unless a test sets the clock. */
export function scriptNow(ctx: Context): number | '' {
  return isTestClock(ctx) ? ctx.clock.now() : '';
}

/** The moment by which credits are counted, in ms. */
export async function creditNow(ctx: Context, shard: number): Promise<number> {
  return isTestClock(ctx) ? ctx.clock.now() : redisNow(ctx, shard);
}

function isTestClock(ctx: Context): boolean {
  return ctx.config.nodeEnv === 'test' && ctx.clock !== systemClock;
}
