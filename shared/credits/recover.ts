import { deviceRows } from '../devices/model.ts';
import { isStoreError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';

import { ALL_SHARDS, accountKeys, shardKeys, shardOf } from '../platform/redis/keys.ts';
import { loadScript, runScript } from '../platform/redis/script.ts';
import { emptyState } from './fold.ts';
import { foldLedger } from './fold-ledger.ts';
import { type CreditAccount, creditAccountRows, ledgerFenceRows, storedAnswerRows } from './model.ts';
import { isEarlier } from './outbox.ts';
import { drainStreams, fenceId } from './project-ledger.ts';
import { identityFields, stateFields } from './state.ts';

const gateScript = loadScript(new URL('state.lua', import.meta.url), new URL('gate.lua', import.meta.url));
const accountScript = loadScript(
  new URL('state.lua', import.meta.url),
  new URL('account.lua', import.meta.url),
);

/** Accounts that are put back at the same time. */
const PARALLEL = 32;

export interface Recovery {
  /** Shards that were opened. */
  opened: number;
  /** Shards of which Redis had lost something, so that they were rebuilt from the ledger. */
  rebuilt: number;
  accounts: number;
  /** Shards that stay shut because something of theirs is not right; the log says what. */
  failed: number;
}

/**
 * Opens the shards whose gate is shut: after a start of Redis, that is all of them. What the streams still hold goes to
 * the ledger first; a Redis that ends earlier than the ledger is rebuilt from it; accounts, devices and revocations are
 * put right from MongoDB; then the gate opens, for this very Redis process. Any process may do it, several may at once.
 */
export async function recoverCredits(ctx: Context): Promise<Recovery> {
  const shut = await shutShards(ctx);
  if (shut.size === 0) return { opened: 0, rebuilt: 0, accounts: 0, failed: 0 };
  ctx.log.info({ shards: shut.size }, 'credits are checked against the ledger');
  const { failed, ...recovery } = await recoverShards(ctx, shut, { force: false });
  for (const [shard, error] of failed)
    ctx.log.error({ err: error, shard }, 'a shard of the credits stays shut');
  return { ...recovery, failed: failed.size };
}

/** Of the ten minutes for which `gate.lua` shuts a shard. */
const RENEW_EVERY_MS = 60_000;

/**
 * Shuts every shard and puts all balances back to what the ledger says, whatever Redis holds. Throws when that was not
 * possible for a shard, because it was opened by someone else meanwhile or something of its ledger or stream is not
 * right: some of its balances may then be as they were. The others are done.
 */
export async function rebuildCredits(
  ctx: Context,
  { renewEveryMs = RENEW_EVERY_MS }: { renewEveryMs?: number } = {},
): Promise<Recovery> {
  const held = new Map<number, string>();
  for (const shard of ALL_SHARDS) {
    const [, runId] = await callGate(ctx, shard, ['hold']);
    held.set(shard, runId);
  }
  const renewing = setInterval(() => void renewHolds(ctx), renewEveryMs);
  try {
    const { failed, ...recovery } = await recoverShards(ctx, held, { force: true });
    const [cause] = failed.values();
    if (cause) {
      const which = [...failed.keys()].join(', ');
      throw new Error(`Not rebuilt: shards ${which}. ${cause.message}`, { cause });
    }
    return { ...recovery, failed: 0 };
  } finally {
    clearInterval(renewing);
  }
}

/** Never throws: a hold that is lost is noticed by what is refused then. */
async function renewHolds(ctx: Context): Promise<void> {
  await Promise.all(ALL_SHARDS.map((shard) => callGate(ctx, shard, ['renew']))).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'the shards that are rebuilt were not held for longer'),
  );
}

/** By shard, why it could not be put right. */
type Failures = Map<number, Error>;

async function recoverShards(
  ctx: Context,
  shut: ReadonlyMap<number, string>,
  { force }: { force: boolean },
): Promise<Omit<Recovery, 'failed'> & { failed: Failures }> {
  const shards = [...shut.keys()];
  const stuck = await drainStreams(ctx, shards);
  await raiseFences(ctx, shards);
  const lost = await shardsThatLost(ctx, shards);
  const rebuilding = new Set(force ? shards : lost.keys());
  // What is rebuilt must be in the ledger whole. A shard that lost nothing goes on as it is, its entries wait.
  const failed: Failures = new Map([...stuck].filter(([shard]) => rebuilding.has(shard)));
  const accounts = await restoreAccounts(ctx, new Set(shards), { lost: rebuilding, force, failed });
  if (rebuilding.size > 0) await restoreAnswers(ctx, rebuilding);
  let opened = 0;
  for (const [shard, runId] of shut) {
    if (failed.has(shard)) continue;
    const [open] = await callGate(ctx, shard, ['open', runId, lost.get(shard) ?? '']);
    if (open === 1) opened += 1;
  }
  const rebuilt = [...rebuilding].filter((shard) => !failed.has(shard)).length;
  ctx.log.info({ opened, rebuilt, accounts, failed: failed.size }, 'credits are open');
  return { opened, rebuilt, accounts, failed };
}

/** The shards that wait to be opened, with the run id of the Redis that holds them. */
export async function shutShards(ctx: Context): Promise<Map<number, string>> {
  return (await lookAtGates(ctx)).shut;
}

/** The shards in which nothing can be spent: those that wait to be opened, and those that a rebuild holds. */
export async function lookAtGates(ctx: Context): Promise<{ shut: Map<number, string>; held: number }> {
  const looks = await Promise.all(
    ALL_SHARDS.map(async (shard) => ({ shard, look: await callGate(ctx, shard, ['look']) })),
  );
  const shut = looks.filter(({ look: [open] }) => open === 0);
  return {
    shut: new Map(shut.map(({ shard, look: [, runId] }) => [shard, runId])),
    held: looks.filter(({ look: [open] }) => open === 2).length,
  };
}

async function callGate(ctx: Context, shard: number, args: string[]): Promise<[open: number, runId: string]> {
  const { gate, outbox } = shardKeys(shard);
  return (await runScript(ctx.redis.producer, gateScript, [gate, outbox], args)) as [number, string];
}

/** Whoever read a stream of the Redis before cannot write behind this any more. */
async function raiseFences(ctx: Context, shards: readonly number[]): Promise<void> {
  await ledgerFenceRows(ctx).bulkWrite(
    shards.map((shard) => ({
      updateOne: {
        filter: { _id: fenceId(shard) },
        update: { $inc: { n: 1 }, $setOnInsert: { last_id: '0-0' } },
        upsert: true,
      },
    })),
  );
}

/** Shards whose stream ends before what the ledger has of it, with a stream id beyond both. */
async function shardsThatLost(ctx: Context, shards: readonly number[]): Promise<Map<number, string>> {
  const fences = await ledgerFenceRows(ctx)
    .find({ _id: { $in: shards.map(fenceId) } })
    .toArray();
  const lost = new Map<number, string>();
  for (const fence of fences) {
    const shard = Number(fence._id);
    if (!isEarlier(await lastStreamId(ctx, shard), fence.last_id)) continue;
    const [ms = '0'] = fence.last_id.split('-');
    lost.set(shard, `${Math.max(Number(ms) + 1, ctx.clock.now())}-0`);
  }
  return lost;
}

async function lastStreamId(ctx: Context, shard: number): Promise<string> {
  const { outbox } = shardKeys(shard);
  if ((await ctx.redis.producer.exists(outbox)) === 0) return '0-0';
  const info = (await ctx.redis.producer.xinfo('STREAM', outbox)) as unknown[];
  return String(info[info.indexOf('last-generated-id') + 1]);
}

async function restoreAccounts(
  ctx: Context,
  shards: ReadonlySet<number>,
  { lost, force, failed }: { lost: ReadonlySet<number>; force: boolean; failed: Failures },
): Promise<number> {
  const devices = await readDevices(ctx, shards);
  let count = 0;
  let batch: Promise<void>[] = [];
  for await (const account of creditAccountRows(ctx).find({})) {
    const shard = shardOf(account._id);
    if (!shards.has(shard) || failed.has(shard)) continue;
    count += 1;
    const restoring = restoreAccount(ctx, account, devices.get(account._id) ?? [], {
      isLost: lost.has(shard),
      force,
    });
    batch.push(
      restoring.catch((error: unknown) => {
        if (isStoreError(error) || !(error instanceof Error)) throw error;
        failed.set(shard, new Error(`${account._id}: ${error.message}`, { cause: error }));
      }),
    );
    if (batch.length < PARALLEL) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
  return count;
}

/** `token id, device id, HMAC` of each device of each account, without HMAC when it is revoked. */
async function readDevices(ctx: Context, shards: ReadonlySet<number>): Promise<Map<string, string[]>> {
  const byAccount = new Map<string, string[]>();
  const fields = { account_id: 1, token_id: 1, token_hmac: 1, status: 1 };
  for await (const device of deviceRows(ctx).find({}, { projection: fields, batchSize: 5_000 })) {
    if (!shards.has(shardOf(device.account_id))) continue;
    const list = byAccount.get(device.account_id) ?? [];
    byAccount.set(device.account_id, list);
    list.push(device.token_id, device._id, device.status === 'revoked' ? '' : device.token_hmac);
  }
  return byAccount;
}

async function restoreAccount(
  ctx: Context,
  account: CreditAccount,
  devices: readonly string[],
  { isLost, force }: { isLost: boolean; force: boolean },
): Promise<void> {
  const { gate, account: key } = accountKeys(account._id);
  // An account that is missing from a Redis that lost nothing is one that it never got: nothing was spent from it.
  const state = isLost ? await foldLedger(ctx, account._id) : emptyState();
  const fields = [...identityFields(account), ...stateFields(state)];
  const seq = force ? 'force' : isLost ? String(state.seq) : '';
  const answer = await runScript(
    ctx.redis.producer,
    accountScript,
    [gate, key],
    ['restore', seq, String(fields.length), ...fields, ...devices],
  );
  // Without force another one that recovers has been faster, and has put the same back.
  if (answer === 'gate' && force) throw new Error('A shard was opened before its balances were put back');
}

/** Every answer that is still promised to a repeat. */
async function restoreAnswers(ctx: Context, shards: ReadonlySet<number>): Promise<void> {
  const nowMs = ctx.clock.now();
  let batch: Promise<unknown>[] = [];
  for await (const stored of storedAnswerRows(ctx).find({}, { batchSize: 2_000 })) {
    const expiresMs = stored.expires_at.getTime();
    if (expiresMs <= nowMs || !shards.has(shardOf(stored.account_id))) continue;
    const value = `${stored.fingerprint}\n${Math.floor(expiresMs / 1_000)}\n${stored.answer}`;
    const key = accountKeys(stored.account_id).answer(stored.idk);
    batch.push(ctx.redis.producer.set(key, value, 'PX', expiresMs - nowMs, 'NX'));
    if (batch.length < 200) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
}
