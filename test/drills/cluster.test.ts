import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../../packages/stack/ports.ts';
import { type RunningStore, startRedis } from '../../packages/stack/stores.ts';
import { PROBES } from '../../scripts/governor/probes.ts';
import { revokeDevice } from '../../shared/core/accounts/devices/revoke-device.ts';
import { reconcileCreditsJob } from '../../shared/core/credits/jobs.ts';
import { grantCredits } from '../../shared/core/credits/ledger/grant-credits.ts';
import { recoverCredits } from '../../shared/core/credits/ledger/open-shards.ts';
import { reconcileCredits as compareCredits } from '../../shared/core/credits/ledger/reconcile.ts';
import { replayLedger } from '../../shared/core/credits/ledger/replay.ts';
import { readAccount } from '../../shared/core/credits/meter/account-record.ts';
import { readBalances } from '../../shared/core/credits/meter/read-balances.ts';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { type Reservation, reserveInBudgets } from '../../shared/core/limits/enforcement/reserve/reserve.ts';
import { reservationStateRows } from '../../shared/core/limits/enforcement/state/model.ts';
import { connectRedis } from '../../shared/platform/redis/connect.ts';
import { accountKeys, reservationKeys } from '../../shared/platform/redis/keys.ts';
import { reconcileCredits } from '../../workers/index.ts';
import type { JobRow } from '../../workers/job-row.ts';
import { startProjector } from '../../workers/project-ledger.ts';
import { closeWorker, startWorker } from '../../workers/worker.ts';
import {
  makeAccount,
  openCreditContext,
  projectAll,
  spendOnce,
  spendSurely,
  type TestAccount,
} from '../support/credits.ts';
import { makeTenant } from '../support/factories.ts';
import { openTestContext, type TestContext, until } from '../support/harness.ts';

const SLOTS = 16_384;
let folder: string;
let nodes: RunningStore[];
let clients: Redis[];
let ctx: TestContext;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'usage-governor-cluster-'));
  nodes = await Promise.all([startNode('a'), startNode('b'), startNode('c')]);
  clients = nodes.map(({ url }) => new Redis(url));
  await formCluster();
  const addresses = nodes.map(({ url }) => new URL(url).host);
  ctx = await openCreditContext({
    redisUrl: nodes[0]?.url ?? '',
    env: { REDIS_CLUSTER_NODES: addresses.join(',') },
  });
});

afterAll(async () => {
  await ctx?.close();
  for (const client of clients ?? []) client.disconnect();
  await Promise.all((nodes ?? []).map((node) => node.stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function startNode(name: string): Promise<RunningStore> {
  const [port, busPort] = [await findFreePort(), await findFreePort()];
  const extraArgs = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)];
  return startRedis({ port, dir: join(folder, name), fast: true, extraArgs });
}

/** A third of the slots each, and each knows the others. */
async function formCluster(): Promise<void> {
  const share = Math.ceil(SLOTS / clients.length);
  for (const [index, client] of clients.entries()) {
    const last = Math.min(SLOTS, (index + 1) * share) - 1;
    await client.call('CLUSTER', 'ADDSLOTSRANGE', String(index * share), String(last));
    const busPort = await client.config('GET', 'cluster-port');
    const { port } = new URL(nodes[index]?.url ?? '');
    await clients[0]?.call('CLUSTER', 'MEET', '127.0.0.1', port, String((busPort as string[])[1]));
  }
  const agrees = async (client: Redis) => {
    const info = String(await client.call('CLUSTER', 'INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${clients.length}`);
  };
  await until(async () => (await Promise.all(clients.map(agrees))).every(Boolean), {
    what: 'the cluster',
  });
}

/** Which of the three holds an account. */
async function nodeOf(account: TestAccount): Promise<number> {
  return nodeOfKey(accountKeys(account.accountId).account);
}

async function nodeOfKey(key: string): Promise<number> {
  const slot = Number(await clients[0]?.call('CLUSTER', 'KEYSLOT', key));
  return Math.floor(slot / Math.ceil(SLOTS / clients.length));
}

/** Accounts on every node. */
async function makeAccounts(): Promise<TestAccount[]> {
  const accounts: TestAccount[] = [];
  for (const seen = new Set<number>(); seen.size < clients.length || accounts.length < 6; ) {
    const account = await makeAccount(ctx);
    accounts.push(account);
    seen.add(await nodeOf(account));
  }
  return accounts;
}

test('three masters: spends, grants, ledger, balances, revocations', async () => {
  const accounts = await makeAccounts();
  for (const account of accounts) {
    const { accountId, token } = account;
    await grantCredits(ctx, { accountId, bucket: 'paid', amount: 7, idempotencyKey: 'once' });
    const spent = await Promise.all(Array.from({ length: 25 }, () => spendSurely(ctx, token)));
    expect(new Set(spent.map(({ answer }) => answer)).size).toBe(25);
    const again = await spendSurely(ctx, token, 'again');
    expect(await spendSurely(ctx, token, 'again')).toEqual({ ...again, replayed: true });
    await expect(spendOnce(ctx, token, { key: 'again', output: 'another' })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect((await readBalances(ctx, accountId)).total).toBe(20 + 200 + 7 - 26);
  }
  // Accounts of every shard in one turn.
  await Promise.all(accounts.map(({ token }) => spendSurely(ctx, token)));
  await projectAll(ctx);
  for (const { accountId } of accounts) {
    const state = (await readAccount(ctx, accountId))?.state;
    expect(state?.seq).toBe(27 + 3);
    expect(await replayLedger(ctx, accountId)).toEqual(state);
  }
  for (const { accountId, deviceId, token } of accounts) {
    await revokeDevice(ctx, accountId, deviceId);
    await expect(spendOnce(ctx, token)).rejects.toMatchObject({ code: 'unauthorized' });
  }
});

test('a master that lost everything is rebuilt from the ledger, and the others stay open', async () => {
  const accounts = await makeAccounts();
  for (const { token } of accounts) await spendSurely(ctx, token);
  await projectAll(ctx);
  await clients[1]?.flushall();
  for (const account of accounts) {
    const isLost = (await nodeOf(account)) === 1;
    if (isLost) await expect(spendOnce(ctx, account.token)).rejects.toMatchObject({ code: 'rebuilding' });
    else await spendSurely(ctx, account.token);
  }
  expect((await recoverCredits(ctx)).rebuilt).toBeGreaterThan(0);
  for (const account of accounts) {
    await spendSurely(ctx, account.token);
    const lost = (await nodeOf(account)) === 1;
    expect((await readBalances(ctx, account.accountId)).total).toBe(lost ? 218 : 217);
  }
});

test('REDIS_WAIT_REPLICAS asks the master that holds the account, and without a replica there a spend is 504', async () => {
  const config = { ...ctx.config, redisWaitReplicas: 1 };
  const waiting = await openTestContext({ sharing: { ...ctx, config } });
  await until(() => waiting.redis.meter.status === 'ready');
  const account = await makeAccount(ctx);
  await Promise.all(clients.map((client) => client.config('RESETSTAT')));
  await expect(spendOnce(waiting, account.token)).rejects.toMatchObject({ code: 'outcome_unknown' });
  const waits = clients.map(async (client) => (await client.info('commandstats')).includes('cmdstat_wait:'));
  const holder = await nodeOf(account);
  expect(await Promise.all(waits)).toEqual(clients.map((_client, index) => index === holder));
  expect((await spendSurely(ctx, account.token)).replayed).toBe(false);
  await waiting.close();
});

test('a master that does not answer holds up nothing of the others: neither the ledger nor comparing, and status says so', async () => {
  await Promise.all(clients.map((client) => client.config('SET', 'cluster-require-full-coverage', 'no')));
  const accounts = await makeAccounts();
  const frozen = nodes[2] as RunningStore;
  await projectAll(ctx);
  const stop = startProjector(ctx);
  frozen.child.kill('SIGSTOP');
  try {
    for (const account of accounts) {
      if ((await nodeOf(account)) === 2) continue;
      await spendSurely(ctx, account.token);
      const isWritten = async () => (await replayLedger(ctx, account.accountId)).seq === 3;
      await until(isWritten, { what: 'the ledger to have the spend' });
      await ctx.redis.producer.hset(accountKeys(account.accountId).account, 'lots', 'g,3,0,lot_spoilt;');
    }
    const { drifted, unchecked } = await compareCredits(ctx, { repair: false, records: true });
    const nodesOf = await Promise.all(accounts.map(nodeOf));
    const others = accounts.filter((_account, index) => nodesOf[index] !== 2);
    const spoilt = others.map(({ accountId }) => ({ account_id: accountId, drift: { granted: 3 } }));
    expect(drifted).toMatchObject(expect.arrayContaining(spoilt.map((one) => expect.objectContaining(one))));
    expect(unchecked).toBeGreaterThanOrEqual(accounts.length - others.length);
    const service = { config: ctx.config, api: '', opening: Promise.resolve(ctx) };
    expect(await PROBES.ledger?.(service)).toEqual({
      status: 'failing',
      detail: expect.stringMatching(/^2\d of 64 shards: their Redis does not answer\.$/),
    });
  } finally {
    frozen.child.kill('SIGCONT');
    await stop();
  }
});

/** Organizations on every node, each with a hard budget of ten dollars. */
async function makeLimited(): Promise<string[]> {
  const orgIds: string[] = [];
  for (const seen = new Set<number>(); seen.size < clients.length; ) {
    const { orgId } = await makeTenant(ctx);
    const budget = { name: 'B', scope: 'org', metric: 'cost_usd', threshold: 10, window: 'monthly' } as const;
    await createBudget(ctx, orgId, { ...budget, enforce: 'hard' });
    orgIds.push(orgId);
    seen.add(await nodeOfKey(reservationKeys(orgId).state));
  }
  return orgIds;
}

function reserveOne(on: TestContext, orgId: string): Promise<Reservation> {
  const caller = { orgId, userId: null, projectId: 'unassigned' };
  const by = { keyId: 'key', isBound: false };
  return reserveInBudgets(on, caller, { estimateNusd: 1e9, ttlS: 3_600, by, key: null });
}

test('three masters: a hard budget is reserved up to its threshold, also after a master has lost everything', async () => {
  const orgIds = await makeLimited();
  for (const orgId of orgIds) {
    const made = await Promise.all(Array.from({ length: 25 }, () => reserveOne(ctx, orgId)));
    expect(made.filter(({ id }) => id !== null)).toHaveLength(10);
    const isNoted = async () => (await reservationStateRows(ctx).findOne({ _id: orgId }))?.seq === 10;
    await until(isNoted, { what: 'the reservations in the record' });
  }
  await clients[2]?.flushall();
  for (const orgId of orgIds) {
    const refused = await until(() => reserveOne(ctx, orgId).catch(() => null), { what: 'an answer' });
    expect(refused?.id).toBeNull();
  }
});

test('REDIS_WAIT_REPLICAS asks the master that holds the budget, and without a replica there a reservation is 504', async () => {
  const config = { ...ctx.config, redisWaitReplicas: 1 };
  const waiting = await openTestContext({ sharing: { ...ctx, config } });
  await until(() => waiting.redis.meter.status === 'ready');
  const [orgId = ''] = await makeLimited();
  await Promise.all(clients.map((client) => client.config('RESETSTAT')));
  await expect(reserveOne(waiting, orgId)).rejects.toMatchObject({ code: 'outcome_unknown' });
  const waits = clients.map(async (client) => (await client.info('commandstats')).includes('cmdstat_wait:'));
  const holder = await nodeOfKey(reservationKeys(orgId).state);
  expect(await Promise.all(waits)).toEqual(clients.map((_client, index) => index === holder));
  await waiting.close();
});

test('a job runs', async () => {
  const connection = connectRedis(ctx.config, 'worker');
  const handled = Promise.withResolvers<void>();
  const handler: JobRow = {
    ...reconcileCredits,
    handle: async (job, context) => {
      const again = await reconcileCredits.handle(job, context);
      handled.resolve();
      return again;
    },
  };
  const worker = startWorker(handler, ctx, connection);
  ctx.queues.wake(reconcileCreditsJob, [{ id: 'now', job: {}, delayMs: 0 }]);
  await handled.promise;
  await closeWorker(worker);
  connection.disconnect();
});
