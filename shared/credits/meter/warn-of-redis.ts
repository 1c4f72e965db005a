import type { Context } from '../../platform/context/context.ts';

/** The warning of `/readyz` about a Redis that may lose credits (docs/stores.md). */
export async function warnOfRedis(ctx: Context): Promise<string | null> {
  const info = await ctx.redis.producer.info('persistence', 'memory');
  const wrong = [
    ...(/^aof_enabled:0/m.test(info) ? ['appendonly is not yes'] : []),
    ...(/^maxmemory_policy:(?!noeviction)/m.test(info) ? ['maxmemory-policy is not noeviction'] : []),
  ];
  return wrong.length === 0 ? null : `Redis may lose credits: its ${wrong.join(', and its ')}.`;
}
