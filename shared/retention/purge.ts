import { forEachOrganization } from '../organizations/for-each-organization.ts';
import type { Context } from '../platform/context/context.ts';
import type { RetentionRule } from '../platform/mongo/retention.ts';
import { purgedRows } from './metrics.ts';

/**
 * Deletes what is older than its retention, in bounded batches. Repeating it changes nothing. Returns how many rows
 * went, by the kind of the rule.
 */
export async function purge(ctx: Context, rules: readonly RetentionRule[]): Promise<Record<string, number>> {
  const nowMs = ctx.clock.now();
  const gone: Record<string, number> = {};
  for (const rule of rules) {
    const count = rule.isPerOrganization
      ? await purgeEachOrganization(ctx, rule, nowMs)
      : await rule.purge(ctx, nowMs);
    gone[rule.kind] = count;
    if (count > 0) purgedRows(ctx).inc({ kind: rule.kind }, count);
  }
  return gone;
}

async function purgeEachOrganization(ctx: Context, rule: RetentionRule, nowMs: number): Promise<number> {
  let gone = 0;
  await forEachOrganization(ctx, 'what is old was not purged', async ({ _id }) => {
    gone += await rule.purge(ctx, nowMs, _id);
  });
  return gone;
}
