import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { grantCredits } from '../../shared/core/credits/ledger/grant-credits.ts';
import { rebuildCredits, recoverCredits } from '../../shared/core/credits/ledger/open-shards.ts';
import { refundSpend } from '../../shared/core/credits/ledger/refund-spend.ts';
import { revokeDeviceAccess } from '../../shared/core/credits/meter/account-record.ts';
import { expireCredits } from '../../shared/core/credits/meter/expire-credits.ts';
import { keyDigest } from '../../shared/core/credits/meter/idempotency.ts';
import { readBalances } from '../../shared/core/credits/meter/read-balances.ts';
import { creditAccountRows, deviceTokenRows, ledgerRows } from '../../shared/core/credits/model.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import type { Tier } from '../../shared/platform/basics/contract.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { accountKeys } from '../../shared/platform/redis/keys.ts';
import {
  addLot,
  balancesAt,
  type CreditModel,
  changePlan,
  type ModelPlan,
  newModel,
  refund,
  spend,
  takeBack,
} from '../support/credit-model.ts';
import {
  addDevice,
  expectReplayed,
  makeAccount,
  openCreditContext,
  projectAll,
  spendOnce,
  startOwnRedis,
  type TestAccount,
  writePlans,
} from '../support/credits.ts';
import { createTestClock } from '../support/harness.ts';

const RUNS = Number(process.env.LAW_RUNS ?? 150);
/** The embedded store gets slower by each row that was ever in a collection. */
const RUNS_PER_DATABASE = 250;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Small plans run dry, so that every bucket is reached. */
const PLANS = {
  free: { window_credits: 2, window_s: 18_000, monthly_credits: 3 },
  team: { window_credits: 4, window_s: 18_000, monthly_credits: 1 },
  enterprise: { window_credits: 0, window_s: 18_000, monthly_credits: 6 },
};

const redis = await startOwnRedis();
const clock = createTestClock();
const open = () => openCreditContext({ redisUrl: redis.url, clock, env: { PLANS_FILE: writePlans(PLANS) } });
let ctx = await open();
let runs = 0;

async function changeDatabase(): Promise<void> {
  runs += 1;
  if (runs % RUNS_PER_DATABASE > 0) return;
  await ctx.redis.producer.flushall();
  await ctx.close();
  ctx = await open();
}

afterAll(async () => {
  await ctx.close();
  await redis.stop();
});

type Step =
  | { do: 'spend'; key: number; lagMs: number }
  | { do: 'wait'; ms: number }
  | { do: 'grant'; bucket: 'paid' | 'granted'; amount: number; expiresInMs: number | null }
  | { do: 'refund'; back: number }
  | { do: 'plan'; plan: Tier }
  | { do: 'to and fro'; plan: Tier }
  | { do: 'expire' | 'project' | 'rebuild' | 'lose' | 'revoke' };

const key = fc.integer({ min: 0, max: 40 });
/** How far the ledger is behind a late repeat. */
const lagMs = fc.constantFrom(0, 5 * HOUR_MS);
const someTime = fc.oneof(
  fc.integer({ min: 1, max: 6 * HOUR_MS }),
  fc.constantFrom(5 * HOUR_MS, 5 * HOUR_MS - 1, DAY_MS, 27 * DAY_MS, 31 * DAY_MS),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 30, arbitrary: fc.record({ do: fc.constant('spend' as const), key, lagMs }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: someTime }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      bucket: fc.constantFrom('paid' as const, 'granted' as const),
      amount: fc.integer({ min: 1, max: 3 }),
      expiresInMs: fc.option(fc.constantFrom(HOUR_MS, DAY_MS, 40 * DAY_MS)),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('refund' as const), back: fc.nat({ max: 9 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('plan' as const, 'to and fro' as const),
      plan: fc.constantFrom('free' as const, 'team' as const, 'enterprise' as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom<'expire' | 'project' | 'rebuild' | 'lose' | 'revoke'>(
        ...(['expire', 'project', 'rebuild', 'lose', 'revoke'] as const),
      ),
    }),
  },
);

/**
 * Steps that random ones hardly ever make in this order: a lot is spent and ends, and its spend is refunded; or it ends before the
 * ledger has a late repeat that was spent from it.
 */
const lapse: fc.Arbitrary<Step[]> = fc
  .record({ bucket: fc.constantFrom('paid' as const, 'granted' as const), first: fc.nat({ max: 1_000_000 }) })
  .chain(({ bucket, first }) => {
    const grant = (amount: number): Step => ({ do: 'grant', bucket, amount, expiresInMs: HOUR_MS });
    const spendKey = (key: number, lagMs = 0): Step => ({ do: 'spend', key: 100 + first + key, lagMs });
    const spends = Array.from({ length: 12 }, (_, key) => spendKey(key));
    return fc.constantFrom<Step[]>(
      [grant(1), ...spends, { do: 'wait', ms: HOUR_MS }, { do: 'refund', back: 0 }],
      [spendKey(12), { do: 'wait', ms: 3 * DAY_MS }, grant(30), ...spends, spendKey(12, 5 * HOUR_MS)],
    );
  });
const someSteps = fc.oneof(
  { weight: 40, arbitrary: step.map((one) => [one]) },
  { weight: 1, arbitrary: lapse },
);

/** The ends of months with and without 29 February, and both clock changes. */
const start = fc.record({
  at: fc.constantFrom(
    '2026-01-31T23:30:00Z',
    '2028-01-31T12:00:00Z',
    '2028-02-29T00:00:00Z',
    '2026-03-29T00:30:00Z',
    '2026-10-25T00:15:00Z',
    '2026-12-31T23:59:59Z',
  ),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Asia/Kathmandu'),
});

test(`${RUNS} random histories end as the pure model has it, in Redis, in the ledger and rebuilt`, {
  timeout: RUNS * 2_000,
}, async () => {
  const histories = fc.asyncProperty(
    start,
    fc.array(someSteps, { minLength: 5, maxLength: 40 }),
    async ({ at, timezone }, steps) => {
      clock.set(Date.parse(at));
      const account = await makeAccount(ctx, { plan: 'free', timezone });
      const model = newModel(modelPlan('free'), clock.now(), timezone);
      const run: Run = {
        account,
        model,
        token: account.token,
        deviceId: account.deviceId,
        answers: new Map(),
      };
      for (const one of steps.flat()) {
        await take(run, one);
        const { balances } = await readBalances(ctx, account.accountId);
        const held = Object.fromEntries(
          Object.entries(balances).map(([name, { credits }]) => [name, credits]),
        );
        expect(held).toEqual(balancesAt(model, clock.now()));
      }
      await projectAll(ctx);
      await expectReplayed(ctx, account.accountId);
      await forget(account.accountId);
    },
  );
  await fc.assert(histories.beforeEach(changeDatabase), {
    numRuns: RUNS,
    endOnFailure: process.env.LAW_SHRINK === undefined,
  });
});

/** So that rebuilding all stays rebuilding one. */
async function forget(accountId: string): Promise<void> {
  const of = { account_id: accountId };
  await Promise.all([
    creditAccountRows(ctx).deleteOne({ _id: accountId }),
    ledgerRows(ctx).deleteMany(of),
    deviceTokenRows(ctx).deleteMany(of),
    ctx.redis.producer.del(accountKeys(accountId).account),
  ]);
}

interface Run {
  account: TestAccount;
  model: CreditModel;
  token: string;
  deviceId: string;
  /** The answers by key, and until when each is promised. */
  answers: Map<string, { answer: string; untilMs: number }>;
}

async function take(run: Run, one: Step): Promise<void> {
  const { accountId, orgId } = run.account;
  switch (one.do) {
    case 'wait':
      clock.advance(one.ms);
      return;
    case 'spend':
      return takeSpend(run, `key-${one.key}`, one.lagMs);
    case 'grant': {
      const expires =
        one.expiresInMs === null ? undefined : Math.floor((clock.now() + one.expiresInMs) / 1_000);
      const { bucket, amount } = one;
      const idempotencyKey = `grant-${run.model.made}-${clock.now()}-${run.answers.size}`;
      await grantCredits(ctx, { accountId, bucket, amount, expires_at: expires, idempotencyKey });
      addLot(run.model, bucket, amount, expires === undefined ? Number.POSITIVE_INFINITY : expires * 1_000);
      return;
    }
    case 'refund':
      return takeRefund(run, one.back);
    case 'plan':
      return takePlan(run, one.plan);
    case 'to and fro': {
      const { plan } = await readOrganization(ctx, orgId);
      await takePlan(run, one.plan);
      return takePlan(run, plan);
    }
    case 'expire':
      await expireCredits(ctx);
      return;
    case 'project':
      return projectAll(ctx);
    case 'rebuild':
      await rebuildCredits(ctx);
      return;
    case 'lose':
      await projectAll(ctx);
      await ctx.redis.producer.flushall();
      await recoverCredits(ctx);
      return;
    case 'revoke':
      return takeRevoke(run);
  }
}

async function takePlan(run: Run, plan: Tier): Promise<void> {
  await changeOrganization(ctx, run.account.orgId, { plan });
  changePlan(run.model, modelPlan(plan), clock.now());
}

async function takeSpend(run: Run, name: string, lagMs: number): Promise<void> {
  const known = run.answers.get(name);
  if (known && clock.now() >= known.untilMs) return takeLateRepeat(run, name, lagMs);
  try {
    const spent = await spendInTime(run.token, name);
    if (known) {
      expect(spent).toMatchObject({ answer: known.answer, replayed: true });
      return;
    }
    expect(spent.replayed).toBe(false);
    const { bucket, balance } = JSON.parse(spent.answer);
    expect(bucket).toBe(spend(run.model, name, clock.now()));
    expect(balance).toEqual(balancesAt(run.model, clock.now()));
    run.answers.set(name, { answer: spent.answer, untilMs: spent.expiresS * 1_000 });
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'insufficient_credits')) throw error;
    expect(spend(run.model, name, clock.now())).toBeNull();
  }
}

/** It spends again and is taken back when it comes to the ledger: by then its window, month or lot may be over. */
async function takeLateRepeat(run: Run, name: string, lagMs: number): Promise<void> {
  const { model, token, answers } = run;
  const repeat = `late-${clock.now()}-${name}`;
  const bucket = spend(model, repeat, clock.now());
  if (bucket === null)
    return expect(spendInTime(token, name)).rejects.toMatchObject({ code: 'insufficient_credits' });
  const spent = await spendInTime(token, name);
  expect([spent.replayed, JSON.parse(spent.answer).bucket]).toEqual([false, bucket]);
  answers.set(name, { answer: spent.answer, untilMs: spent.expiresS * 1_000 });
  clock.advance(lagMs);
  await projectAll(ctx);
  takeBack(model, repeat, clock.now());
}

/** A machine that stands still makes a spend late: a 503, of which nothing was written, so that its repeat is a first. */
async function spendInTime(token: string, key: string): ReturnType<typeof spendOnce> {
  try {
    return await spendOnce(ctx, token, { key });
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'store_unavailable')) throw error;
    return spendInTime(token, key);
  }
}

/** Refunds one of the last keys that were spent, as few steps meet the same of many. */
async function takeRefund(run: Run, back: number): Promise<void> {
  const names = [...run.answers.keys()];
  const name = names.at(-1 - (back % names.length));
  if (name === undefined) return;
  await projectAll(ctx);
  const { accountId } = run.account;
  const keyed = { account_id: accountId, idk: keyDigest(accountId, 'consume', name) };
  const [row] = await ledgerRows(ctx).find(keyed).sort({ seq: 1 }).toArray();
  await refundSpend(ctx, accountId, row?._id ?? '');
  refund(run.model, name, clock.now());
}

async function takeRevoke(run: Run): Promise<void> {
  const { accountId } = run.account;
  await deviceTokenRows(ctx).updateOne(
    { _id: run.deviceId },
    { $set: { revoked_at: new Date(clock.now()) } },
  );
  await revokeDeviceAccess(ctx, accountId, run.deviceId);
  await expect(spendOnce(ctx, run.token)).rejects.toMatchObject({ code: 'unauthorized' });
  Object.assign(run, await addDevice(ctx, accountId));
}

function modelPlan(name: Tier): ModelPlan {
  const { window_credits, window_s, monthly_credits } = PLANS[name];
  return { windowCredits: window_credits, windowMs: window_s * 1_000, monthlyCredits: monthly_credits };
}
