import type { Context } from '../../platform/context/context.ts';
import type { RetentionRule } from '../../platform/mongo/retention.ts';
import { forEachOrganization } from '../accounts/organizations/for-each-organization.ts';
import { purgedRows } from './metrics.ts';

/**
 * Deletes what is older than its retention, in bounded batches. A rule that fails is logged, and left for the next run.
 * Repeating it changes nothing. Returns how many rows went, by the kind of the rule.
 */
export async function purge(ctx: Context, rules: readonly RetentionRule[]): Promise<Record<string, number>> {
  const nowMs = ctx.clock.now();
  const gone: Record<string, number> = {};
  for (const rule of rules) {
    const { kind, isPerOrganization } = rule;
    try {
      const count = isPerOrganization
        ? await purgeEachOrganization(ctx, rule, nowMs)
        : await rule.purge(ctx, nowMs);
      gone[kind] = count;
      if (count > 0) purgedRows(ctx).inc({ kind }, count);
    } catch (error) {
      ctx.log.error({ err: error, kind }, FAILURE);
    }
  }
  return gone;
}

const FAILURE = 'what is old was not purged';

async function purgeEachOrganization(ctx: Context, rule: RetentionRule, nowMs: number): Promise<number> {
  let gone = 0;
  await forEachOrganization(ctx, FAILURE, async ({ _id }) => {
    gone += await rule.purge(ctx, nowMs, _id);
  });
  return gone;
}
