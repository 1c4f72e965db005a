import { afterEach, beforeEach, expect, it } from 'vitest';
import { ledgerRows } from '../../shared/core/credits/model.ts';
import { startProjector } from '../../workers/project-ledger.ts';
import {
  expectReplayed,
  makeAccount,
  type OwnRedis,
  openCreditContext,
  projectAll,
  spendOnce,
  startOwnRedis,
} from '../support/credits.ts';
import { darkenNext } from '../support/drills/darken.ts';
import { type OwnMongo, startOwnMongo } from '../support/drills/own-mongo.ts';
import { type NetProxy, startProxy } from '../support/drills/proxy.ts';
import { type TestContext, until } from '../support/harness.ts';

/** How long one organization may notice that another one's connection has gone dark. */
const GOES_ON_WITHIN_MS = 20_000;

let mongo: OwnMongo;
let redis: OwnRedis;
let proxy: NetProxy;
let ctx: TestContext;
let stopProjector: () => Promise<void>;
beforeEach(async () => {
  [mongo, redis] = await Promise.all([startOwnMongo(), startOwnRedis()]);
  proxy = await startProxy(Number(new URL(mongo.url).port));
  const mongoUrl = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  ctx = await openCreditContext({ mongoUrl, redisUrl: redis.url });
});
afterEach(async () => {
  await stopProjector();
  proxy.reset();
  await ctx.close();
  await proxy.close();
  await Promise.all([mongo.stop(), redis.stop()]);
});

it.each([
  ['the fences of its shards are read', 'ledger_fences'],
  ['its rows are committed', 'commitTransaction'],
])(
  'a connection of the projector that goes dark while %s does not stop the ledger, nor the spends',
  async (_step, letters) => {
    const [first, second] = [await makeAccount(ctx), await makeAccount(ctx)];
    await spendOnce(ctx, first.token);
    await projectAll(ctx);
    const isDark = darkenNext(proxy, letters);
    await spendOnce(ctx, first.token);
    stopProjector = startProjector(ctx);
    await isDark;
    const startedMs = performance.now();
    await spendOnce(ctx, second.token);
    const receipts = (accountId: string) =>
      ledgerRows(ctx).countDocuments({ account_id: accountId, reason: 'receipt' });
    await until(
      async () => (await receipts(second.accountId)) === 1 && (await receipts(first.accountId)) === 2,
      {
        what: 'the ledger to go on',
      },
    );
    expect(performance.now() - startedMs).toBeLessThan(GOES_ON_WITHIN_MS);
    for (const { accountId } of [first, second]) await expectReplayed(ctx, accountId);
  },
);
