import type { ClientSession } from 'mongoose';
import { commitPlan, type Decision } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { moveToOtherShard } from '../platform/mongo/counter-shards.ts';
import { cacheRules, type Rules, readRules } from './rules.ts';

/** One attempt at a change of an organization. */
export interface Attempt {
  rules: Rules;
  /** True when the rules are as this process has read them last, so that only the write of their version proves them. */
  isAssumed: boolean;
  isFirst: boolean;
  /** The counter shard in which it writes, also the row of the rules' version (`versions.ts`). */
  shard: number;
}

interface Circumstances {
  /** Names the counter shard. Each attempt after the first one is in another. */
  shardOf: () => number;
  /** Rules that the first attempt takes without reading them. */
  assumed?: Rules | null;
}

/** Runs one change of an organization by its rules as one transaction, and caches the rules once it has committed. */
export async function commitByRules<Result>(
  ctx: Context,
  orgId: string,
  { shardOf, assumed }: Circumstances,
  decide: (attempt: Attempt, transaction: ClientSession) => Promise<Decision<Result>>,
): Promise<Result> {
  let attempts = 0;
  const { rules, result } = await commitPlan(
    ctx,
    async (transaction) => {
      attempts += 1;
      const isFirst = attempts === 1;
      if (!isFirst) moveToOtherShard();
      const shard = shardOf();
      const isAssumed = isFirst && Boolean(assumed);
      const rules = (isFirst && assumed) || (await readRules(ctx, orgId, shard, transaction));
      const decision = await decide({ rules, isAssumed, isFirst, shard }, transaction);
      return { ...decision, result: { rules, result: decision.result } };
    },
    { onDuplicateKey: 'retry' },
  );
  cacheRules(ctx, rules);
  return result;
}
