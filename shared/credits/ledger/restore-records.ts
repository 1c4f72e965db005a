import type { Context } from '../../platform/context/context.ts';
import { accountKeys } from '../../platform/redis/keys.ts';
import { encodeChangeOutcome, encodeRecord, encodeSpendPlace, RECORD_KEPT_S } from '../meter/idempotency.ts';
import { type LedgerRow, ledgerRows } from './model.ts';

const BATCH = 200;

/** Puts the idempotency records that are still promised to a repeat back, from the ledger's rows. */
export async function restoreRecords(ctx: Context, accountId: string): Promise<void> {
  const { record } = accountKeys(accountId);
  const nowS = Math.floor(ctx.clock.now() / 1_000);
  let batch: Promise<unknown>[] = [];
  // Times never fall with `seq`, so what is too old ends it.
  const rows = ledgerRows(ctx)
    .find({ account_id: accountId }, { batchSize: 1_000, projection: { receipt: 0 } })
    .sort({ seq: -1 });
  for await (const row of rows) {
    const { idk, fingerprint = '', created_at: createdAt } = row;
    const leftS = createdAt + RECORD_KEPT_S - nowS;
    if (leftS <= 0) break;
    if (idk === undefined) continue;
    const value = encodeRecord(fingerprint, createdAt, outcomeOf(row));
    batch.push(ctx.redis.producer.set(record(idk), value, 'EX', leftS, 'NX'));
    if (batch.length < BATCH) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
}

function outcomeOf(row: LedgerRow): string {
  return row.reason === 'receipt' ? encodeSpendPlace(row.seq) : encodeChangeOutcome(row);
}
