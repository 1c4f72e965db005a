import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { recoverCredits } from '../../shared/core/credits/ledger/open-shards.ts';
import { reconcileCredits } from '../../shared/core/credits/ledger/reconcile.ts';
import { untilOpen } from '../support/credits.ts';
import { checkCredits } from '../support/drills/checker.ts';
import { makeRichAccounts, startLoad } from '../support/drills/load.ts';
import { type ReplicaStack, startReplicaStack } from '../support/drills/replica-stack.ts';
import type { Stack } from '../support/drills/stack.ts';
import { openTestContext, type TestContext, until } from '../support/harness.ts';
import { seeded } from '../support/random.ts';

/** An even number, so that each is promoted as often as it is demoted. */
const ROUNDS = Number(process.env.DRILL_ROUNDS ?? 2);
const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);

let replicated: ReplicaStack;
let stack: Stack;
/** Reaches the primary, whichever it is. */
let ctx: TestContext;

beforeAll(async () => {
  replicated = await startReplicaStack();
  stack = replicated.stack;
  const config = { ...stack.ctx.config, redisUrl: replicated.redisUrl };
  ctx = await openTestContext({ sharing: { ...stack.ctx, config } });
  await until(() => ctx.redis.producer.status === 'ready' && ctx.redis.meter.status === 'ready');
  await untilOpen(ctx);
});
beforeEach(() => stack.mend());

// A beforeAll that failed leaves undefined what it has not started.
afterAll(async () => {
  await ctx?.close();
  await replicated?.stop();
});

test(`a replica is promoted and its primary demoted under load, ${ROUNDS} times to and fro (seed ${SEED}): with REDIS_WAIT_REPLICAS=1 every answered spend is in the ledger once`, {
  timeout: 300_000 + ROUNDS * 120_000,
}, async () => {
  const random = seeded(SEED);
  const accounts = await makeRichAccounts(ctx, 4);
  const load = startLoad(() => stack.url, accounts, { clients: 4, random, perSecond: 200 });
  for (let round = 0; round < ROUNDS; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200 + random() * 800));
    const unconfirmed = load.statuses.get(504) ?? 0;
    await replicated.swap(() =>
      until(() => (load.statuses.get(504) ?? 0) > unconfirmed, {
        what: 'an answer that no replica confirms',
      }),
    );
    const before = load.statuses.get(200) ?? 0;
    await until(() => (load.statuses.get(200) ?? 0) > before + 20, { what: 'spends' });
  }
  await load.finish();
  expect([...load.statuses.keys()].filter((status) => ![0, 200, 503, 504].includes(status))).toEqual([]);
  await checkCredits(ctx, stack.url, accounts, load.attempts);
  await recoverCredits(ctx);
  expect(await reconcileCredits(ctx, { repair: false, records: true })).toMatchObject({
    drifted: [],
    receipts_without_rows: 0,
  });
});
