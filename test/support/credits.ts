import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, expect } from 'vitest';
import { findFreePort } from '../../packages/stack/ports.ts';
import { type RunningStore, startRedis } from '../../packages/stack/stores.ts';
import { deviceRows } from '../../shared/core/accounts/devices/model.ts';
import {
  accountOfToken,
  credentialHash,
  credentialId,
  mintDeviceToken,
} from '../../shared/core/accounts/keys/credential.ts';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { ensureAccount } from '../../shared/core/credits/ledger/ensure-account.ts';
import { type Grant, grantCredits } from '../../shared/core/credits/ledger/grant-credits.ts';
import { recoverCredits } from '../../shared/core/credits/ledger/open-shards.ts';
import { projectRound } from '../../shared/core/credits/ledger/project-ledger.ts';
import { replayLedger } from '../../shared/core/credits/ledger/replay.ts';
import { type Spent, spendCredit } from '../../shared/core/credits/ledger/spend.ts';
import { putDevice, readAccount } from '../../shared/core/credits/meter/account-record.ts';
import { findPausedShards, readShardStates } from '../../shared/core/credits/meter/shards.ts';
import { creditAccountRows, deviceTokenRows, ledgerRows } from '../../shared/core/credits/model.ts';
import { addMember } from '../../shared/people/members.ts';
import type { Tier } from '../../shared/platform/basics/contract.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import { waitUntilReady } from '../../shared/platform/redis/connect.ts';
import { accountKeys, shardOf } from '../../shared/platform/redis/keys.ts';
import { openTestContext, type TestContext, type TestOptions, until } from './harness.ts';

export interface OwnRedis {
  url: string;
  dir: string;
  pid(): number;
  /** SIGKILL: what was answered is in its file. */
  kill(): Promise<void>;
  /** On the same port and files. */
  start(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

/** A Redis of one test file: epochs and accounts have the same names everywhere. */
export async function startOwnRedis(extraArgs: string[] = []): Promise<OwnRedis> {
  const dir = mkdtempSync(join(tmpdir(), 'usage-governor-redis-'));
  const port = await findFreePort();
  let store: RunningStore = await startRedis({ port, dir, fast: true, extraArgs });
  return {
    url: store.url,
    dir,
    pid: () => store.pid,
    kill: async () => {
      const ended = once(store.child, 'exit');
      store.child.kill('SIGKILL');
      await ended;
    },
    start: async () => {
      store = await startRedis({ port, dir, fast: true, extraArgs });
    },
    stop: async () => {
      await store.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Makes a Redis the replica of another, and waits until it has a whole copy. */
export async function copyFrom(replica: { url: string }, primary: { url: string }): Promise<void> {
  const client = new Redis(replica.url);
  await client.call('REPLICAOF', '127.0.0.1', new URL(primary.url).port);
  const isInSync = async () => (await client.info('replication')).includes('master_link_status:up');
  await until(isInSync, { what: 'a replica in sync' });
  client.disconnect();
}

/** Makes a replica a primary, with the data that it has. */
export async function promote(replica: { url: string }): Promise<void> {
  const client = new Redis(replica.url);
  await client.call('REPLICAOF', 'NO', 'ONE');
  client.disconnect();
}

/** A PLANS_FILE of these plans, for the environment of a context. */
export function writePlans(plans: object): string {
  const file = join(mkdtempSync(join(tmpdir(), 'usage-governor-plans-')), 'plans.json');
  writeFileSync(file, JSON.stringify(plans));
  return file;
}

/** A context whose shards are open. */
export async function openCreditContext(options: TestOptions & { redisUrl: string }): Promise<TestContext> {
  const ctx = await openTestContext(options);
  await Promise.all([waitUntilReady(ctx.redis.meter, 60_000), waitUntilReady(ctx.redis.producer, 60_000)]);
  await recoverCredits(ctx);
  return ctx;
}

/** A Redis, a context whose shards are open, and what tests do with it. */
export async function startCredits(options: TestOptions = {}) {
  const redis = await startOwnRedis();
  const ctx = await openCreditContext({ ...options, redisUrl: redis.url });
  const bound =
    <Args extends unknown[], Result>(act: (of: TestContext, ...args: Args) => Result) =>
    (...args: Args) =>
      act(ctx, ...args);
  return {
    redis,
    ctx,
    makeAccount: bound(makeAccount),
    makeAccountsApart: bound(makeAccountsApart),
    addDevice: bound(addDevice),
    spendOnce: bound(spendOnce),
    spendSurely: bound(spendSurely),
    spendTimes: bound(spendTimes),
    grant: bound(grant),
    forgetAnswers: bound(forgetAnswers),
    projectAll: bound(projectAll),
    projectLedger: bound(projectLedger),
    shardsWithEntries: bound(shardsWithEntries),
    expectReplayed: bound(expectReplayed),
    stateDigest: bound(stateDigest),
    restartRedis: (isEmptied?: boolean) => restartRedis(ctx, redis, isEmptied),
    close: async () => {
      await ctx.close();
      await redis.stop();
    },
  };
}

/** The same for one test file, with which it ends. */
export async function openCredits(options: TestOptions = {}): ReturnType<typeof startCredits> {
  const credits = await startCredits(options);
  afterAll(credits.close);
  return credits;
}

export interface TestAccount {
  accountId: string;
  orgId: string;
  userId: string;
  deviceId: string;
  token: string;
}

/** A member with an account and one device. */
export async function makeAccount(
  ctx: TestContext,
  options: { plan?: Tier; timezone?: string } = {},
): Promise<TestAccount> {
  const { plan = 'free', timezone = 'UTC' } = options;
  const organization = await createOrganization(ctx, { name: 'Test', plan, timezone });
  const member = await addMember(ctx, { org_id: organization._id, email: 'a@example.com', role: 'member' });
  await ensureAccount(ctx, member);
  const device = await addDevice(ctx, member._id);
  return { accountId: member._id, orgId: organization._id, userId: member.user_id, ...device };
}

/** One more device of an account. */
export async function addDevice(
  ctx: TestContext,
  accountId: string,
): Promise<{ deviceId: string; token: string }> {
  const deviceId = newId('dev');
  const { id, token } = mintDeviceToken(accountId);
  const hmac = credentialHash(token, ctx.config.apiKeyPepper);
  await deviceRows(ctx).insertOne({
    _id: deviceId,
    account_id: accountId,
    org_id: 'org_test',
    device_id: deviceId,
    name: null,
    public_key: null,
    status: 'active',
    created_at: new Date(ctx.clock.now()),
    revoked_at: null,
  });
  await deviceTokenRows(ctx).insertOne({
    _id: deviceId,
    account_id: accountId,
    token_id: id,
    token_hmac: hmac,
    revoked_at: null,
    last_seen_at: null,
  });
  await putDevice(ctx, accountId, { device_id: deviceId, token_id: id, token_hmac: hmac });
  return { deviceId, token };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A spend by the domain function, as the route would call it. */
export async function spendOnce(
  ctx: TestContext,
  token: string,
  options: { key?: string; output?: string; pepper?: string } = {},
): Promise<Spent> {
  const { key = randomUUID(), output = key, pepper = ctx.config.apiKeyPepper } = options;
  const tokenId = credentialId('ugd', token) ?? '';
  return spendCredit(ctx, {
    accountId: accountOfToken(tokenId),
    tokenId,
    tokenHmac: credentialHash(token, pepper),
    idempotencyKey: key,
    outputSha256: sha256(output),
  });
}

/** How often a client sends one spend before it gives up. */
const SPEND_TRIES = 100;

/** As a client does: on a busy machine a deadline may pass, and then the same key is sent again. */
export async function spendSurely(
  ctx: TestContext,
  token: string,
  key: string = randomUUID(),
): Promise<Spent> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await spendOnce(ctx, token, { key });
    } catch (error) {
      const { code } = error as { code?: string };
      const mayHelp = code === 'store_unavailable' || code === 'outcome_unknown';
      if (!mayHelp || attempt === SPEND_TRIES) throw error;
    }
  }
}

/** So many spends, one after the other. */
export async function spendTimes(
  ctx: TestContext,
  { token }: Pick<TestAccount, 'token'>,
  times: number,
): Promise<void> {
  for (let count = 0; count < times; count += 1) await spendSurely(ctx, token);
}

/** Adds credits, by a key of its own unless there is one. */
export function grant(
  ctx: TestContext,
  accountId: string,
  credits: Partial<Grant> & Pick<Grant, 'bucket' | 'amount'>,
): ReturnType<typeof grantCredits> {
  return grantCredits(ctx, { idempotencyKey: randomUUID(), accountId, ...credits });
}

/** Ends what repeats of the keys of an account's shard are answered, as 48 h do. */
export async function forgetAnswers(ctx: TestContext, accountId: string): Promise<void> {
  const { record } = accountKeys(accountId);
  const answers = await ctx.redis.producer.keys(record('*'));
  if (answers.length > 0) await ctx.redis.producer.del(...answers);
}

/** Projects once and returns how many entries were moved. Throws why when none could be. */
export async function projectLedger(ctx: TestContext, shards: readonly number[]): Promise<number> {
  const { moved, stalled } = await projectRound(ctx, shards);
  const [problem] = stalled.values();
  if (moved === 0 && problem) throw problem;
  return moved;
}

/** The shards that hold something for the ledger. */
export async function shardsWithEntries(ctx: TestContext): Promise<number[]> {
  const looks = await readShardStates(ctx);
  return looks.filter(({ length }) => length > 0).map(({ shard }) => shard);
}

/** Projects until every stream is empty. */
export async function projectAll(ctx: TestContext): Promise<void> {
  for (;;) {
    const shards = await shardsWithEntries(ctx);
    if (shards.length === 0) return;
    await projectLedger(ctx, shards);
  }
}

/** Both clients are connected, after a Redis that went away. */
export async function untilRedisIsBack(ctx: TestContext): Promise<void> {
  await until(() => ctx.redis.meter.status === 'ready' && ctx.redis.producer.status === 'ready');
}

/** A Redis is killed and started again, with its files or without them. */
export async function restartRedis(ctx: TestContext, redis: OwnRedis, isEmptied = false): Promise<void> {
  await redis.kill();
  if (isEmptied) rmSync(join(redis.dir, 'appendonlydir'), { recursive: true });
  await redis.start();
  await untilRedisIsBack(ctx);
}

/** The ledger of an account adds up to what Redis holds. */
export async function expectReplayed(ctx: TestContext, accountId: string): Promise<void> {
  expect(await replayLedger(ctx, accountId)).toEqual((await readAccount(ctx, accountId))?.state);
}

/** A digest of every key of ours, and the entries in MongoDB: what refusals must not change. */
export async function stateDigest(ctx: TestContext): Promise<string> {
  const keys = (await ctx.redis.producer.keys('{c[0-9][0-9]}*')).sort();
  const digests = (await ctx.redis.producer.call('DEBUG', 'DIGEST-VALUE', ...keys)) as string[];
  const counts = await Promise.all([
    ledgerRows(ctx).countDocuments({}),
    creditAccountRows(ctx).countDocuments({}),
  ]);
  return JSON.stringify([keys, digests, counts]);
}

/** Nothing can be spent from a shard that a worker is still checking. */
export async function untilOpen(ctx: TestContext): Promise<void> {
  const isOpen = async () => (await findPausedShards(ctx)).size === 0;
  await until(() => isOpen().catch(() => false), { what: 'every shard to be open' });
}

/** Accounts of different shards. */
export async function makeAccountsApart(ctx: TestContext, count: number): Promise<TestAccount[]> {
  const byShard = new Map<number, TestAccount>();
  while (byShard.size < count) {
    const account = await makeAccount(ctx);
    byShard.set(shardOf(account.accountId), account);
  }
  return [...byShard.values()];
}
