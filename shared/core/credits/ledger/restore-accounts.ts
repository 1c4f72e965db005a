import { DomainError, isStoreError } from '../../../platform/basics/errors.ts';
import { inBatches } from '../../../platform/basics/in-batches.ts';
import type { Context } from '../../../platform/context/context.ts';
import { accountKeys, shardOf } from '../../../platform/redis/keys.ts';
import { restoreAccount } from '../meter/account-record.ts';
import { encodeChangeOutcome, encodeRecord, encodeSpendPlace, RECORD_KEPT_S } from '../meter/idempotency.ts';
import { creditNow } from '../meter/redis-time.ts';
import { allAccounts } from '../meter/work-on-accounts.ts';
import {
  type CreditAccount,
  type DeviceToken,
  deviceTokenRows,
  type LedgerRow,
  ledgerRows,
} from '../model.ts';
import { replayLedger } from './replay.ts';

/** Accounts that are put back at the same time, and records of each. */
const ACCOUNTS_AT_ONCE = 32;
const RECORDS_AT_ONCE = 200;

interface Restoration {
  shards: ReadonlySet<number>;
  /** Those whose balances come from the ledger. */
  rebuilding: ReadonlySet<number>;
  /** Those that are given up; more are added. */
  failed: Map<number, Error>;
  /** The rebuild that holds the shards, or ''. */
  holder: string;
  /** Called after each account, with their number so far. */
  onAccount?: ((done: number) => void) | undefined;
}

/** Corrects the accounts of these shards: balances, idempotency records, devices. Returns how many accounts that were. */
export async function restoreAccounts(ctx: Context, restoration: Restoration): Promise<number> {
  const tokens = await readTokens(ctx, restoration.shards);
  const restore = (account: CreditAccount) =>
    restoreOne(ctx, account, tokens.get(account._id) ?? [], restoration);
  let count = 0;
  for await (const _ of inBatches(accountsOf(ctx, restoration), ACCOUNTS_AT_ONCE, restore)) {
    count += 1;
    restoration.onAccount?.(count);
  }
  return count;
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

async function* accountsOf(ctx: Context, { shards, failed }: Restoration): AsyncGenerator<CreditAccount> {
  for await (const account of allAccounts(ctx)) {
    const shard = shardOf(account._id);
    if (shards.has(shard) && !failed.has(shard)) yield account;
  }
}

/** An account that cannot be restored fails its own shard alone. */
async function restoreOne(
  ctx: Context,
  account: CreditAccount,
  tokens: readonly DeviceToken[],
  { rebuilding, failed, holder }: Restoration,
): Promise<void> {
  const shard = shardOf(account._id);
  try {
    // Missing from a Redis that lost nothing else: it never got there, or it was deleted there.
    const kept = { state: null, tokens, holder };
    if (!rebuilding.has(shard) && (await restoreAccount(ctx, account, kept)) !== 'missing') return;
    const state = await replayLedger(ctx, account._id);
    const outcome = await restoreAccount(ctx, account, { state, tokens, holder });
    // No holder: another recovery opened the shard first, with the same state.
    if (outcome !== 'ok' && holder !== '')
      throw new Error('Its shard was opened before its balances were put back');
    await restoreRecords(ctx, account._id);
  } catch (error) {
    const isAway = isStoreError(error) || error instanceof DomainError;
    if (isAway || !(error instanceof Error)) throw error;
    failed.set(shard, new Error(`${account._id}: ${error.message}`, { cause: error }));
  }
}

/** Puts back, from the ledger's rows, the idempotency records that have not expired yet. */
async function restoreRecords(ctx: Context, accountId: string): Promise<void> {
  const { record } = accountKeys(accountId);
  const restore = ({ idk, value, leftS }: UnexpiredRecord) =>
    ctx.redis.producer.set(record(idk), value, 'EX', leftS, 'NX');
  for await (const _ of inBatches(unexpiredRecords(ctx, accountId), RECORDS_AT_ONCE, restore));
}

interface UnexpiredRecord {
  idk: string;
  value: string;
  /** Seconds until it expires. */
  leftS: number;
}

async function* unexpiredRecords(ctx: Context, accountId: string): AsyncGenerator<UnexpiredRecord> {
  const nowS = Math.floor((await creditNow(ctx, shardOf(accountId))) / 1_000);
  const rows = ledgerRows(ctx)
    .find({ account_id: accountId }, { batchSize: 1_000, projection: { receipt: 0 } })
    .sort({ seq: -1 });
  for await (const row of rows) {
    const { idk, fingerprint = '', created_at: createdAt } = row;
    const leftS = createdAt + RECORD_KEPT_S - nowS;
    // Times never fall with `seq`, so all rows before it are too old as well.
    if (leftS <= 0) return;
    if (idk !== undefined) yield { idk, value: encodeRecord(fingerprint, createdAt, outcomeOf(row)), leftS };
  }
}

function outcomeOf(row: LedgerRow): string {
  return row.reason === 'receipt' ? encodeSpendPlace(row.seq) : encodeChangeOutcome(row);
}
