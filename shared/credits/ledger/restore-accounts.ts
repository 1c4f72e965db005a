import { DomainError, isStoreError } from '../../platform/basics/errors.ts';
import { inBatches } from '../../platform/basics/in-batches.ts';
import type { Context } from '../../platform/context/context.ts';
import { shardOf } from '../../platform/redis/keys.ts';
import { restoreAccount } from '../meter/restore-account.ts';
import { allAccounts } from '../meter/work-on-accounts.ts';
import { type CreditAccount, type DeviceToken, deviceTokenRows } from '../model.ts';
import { replayLedger } from './replay.ts';
import { restoreRecords } from './restore-records.ts';

/** Accounts that are put back at the same time. */
const BATCH = 32;

interface Plan {
  shards: ReadonlySet<number>;
  /** Those whose balances come from the ledger. */
  rebuilding: ReadonlySet<number>;
  /** Those that are given up; more are added. */
  failed: Map<number, Error>;
  /** The rebuild that holds the shards, or ''. */
  holder: string;
}

/** Puts the accounts of these shards right: balances, idempotency records, devices. Returns how many accounts that were. */
export async function restoreAccounts(ctx: Context, plan: Plan): Promise<number> {
  const tokens = await readTokens(ctx, plan.shards);
  const restore = (account: CreditAccount) => restoreOne(ctx, account, tokens.get(account._id) ?? [], plan);
  let count = 0;
  for await (const _ of inBatches(accountsOf(ctx, plan), BATCH, restore)) count += 1;
  return count;
}

async function* accountsOf(ctx: Context, { shards, failed }: Plan): AsyncGenerator<CreditAccount> {
  for await (const account of allAccounts(ctx)) {
    const shard = shardOf(account._id);
    if (shards.has(shard) && !failed.has(shard)) yield account;
  }
}

async function readTokens(ctx: Context, shards: ReadonlySet<number>): Promise<Map<string, DeviceToken[]>> {
  const byAccount = new Map<string, DeviceToken[]>();
  for await (const token of deviceTokenRows(ctx).find({}, { batchSize: 5_000 })) {
    if (!shards.has(shardOf(token.account_id))) continue;
    const list = byAccount.get(token.account_id) ?? [];
    byAccount.set(token.account_id, list);
    list.push(token);
  }
  return byAccount;
}

/** One account that is not right gives up its own shard alone. */
async function restoreOne(
  ctx: Context,
  account: CreditAccount,
  tokens: readonly DeviceToken[],
  { rebuilding, failed, holder }: Plan,
): Promise<void> {
  const shard = shardOf(account._id);
  try {
    // Missing from a Redis that lost nothing else: one that it never got, or one that was deleted there.
    const kept = { state: null, tokens, holder };
    if (!rebuilding.has(shard) && (await restoreAccount(ctx, account, kept)) !== 'missing') return;
    const state = await replayLedger(ctx, account._id);
    const outcome = await restoreAccount(ctx, account, { state, tokens, holder });
    // Without a holder another one that recovers has been faster, and has put the same back.
    if (outcome !== 'ok' && holder !== '')
      throw new Error('Its shard was opened before its balances were put back');
    await restoreRecords(ctx, account._id);
  } catch (error) {
    const isAway = isStoreError(error) || error instanceof DomainError;
    if (isAway || !(error instanceof Error)) throw error;
    failed.set(shard, new Error(`${account._id}: ${error.message}`, { cause: error }));
  }
}
