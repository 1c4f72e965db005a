import { inBatches } from '../../platform/basics/in-batches.ts';
import type { Context } from '../../platform/context/context.ts';
import { accountKeys, shardOf } from '../../platform/redis/keys.ts';
import { encodeChangeOutcome, encodeRecord, encodeSpendPlace, RECORD_KEPT_S } from '../meter/idempotency.ts';
import { creditNow } from '../meter/redis-time.ts';
import { type LedgerRow, ledgerRows } from '../model.ts';

const BATCH = 200;

/** Puts the idempotency records that are still promised to a repeat back, from the ledger's rows. */
export async function restoreRecords(ctx: Context, accountId: string): Promise<void> {
  const { record } = accountKeys(accountId);
  const restore = ({ idk, value, leftS }: PromisedRecord) =>
    ctx.redis.producer.set(record(idk), value, 'EX', leftS, 'NX');
  for await (const _ of inBatches(promisedRecords(ctx, accountId), BATCH, restore));
}

interface PromisedRecord {
  idk: string;
  value: string;
  /** Seconds for which it is still promised. */
  leftS: number;
}

async function* promisedRecords(ctx: Context, accountId: string): AsyncGenerator<PromisedRecord> {
  const nowS = Math.floor((await creditNow(ctx, shardOf(accountId))) / 1_000);
  const rows = ledgerRows(ctx)
    .find({ account_id: accountId }, { batchSize: 1_000, projection: { receipt: 0 } })
    .sort({ seq: -1 });
  for await (const row of rows) {
    const { idk, fingerprint = '', created_at: createdAt } = row;
    const leftS = createdAt + RECORD_KEPT_S - nowS;
    // Times never fall with `seq`, so what is too old ends it.
    if (leftS <= 0) return;
    if (idk !== undefined) yield { idk, value: encodeRecord(fingerprint, createdAt, outcomeOf(row)), leftS };
  }
}

function outcomeOf(row: LedgerRow): string {
  return row.reason === 'receipt' ? encodeSpendPlace(row.seq) : encodeChangeOutcome(row);
}
