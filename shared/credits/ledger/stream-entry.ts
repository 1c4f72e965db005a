import { z } from 'zod';
import { BUCKETS, REASONS } from '../buckets.ts';
import { decodeBalance } from '../meter/idempotency.ts';
import { type LedgerRow, transactionId } from '../model.ts';

/** An entry of a shard's ledger stream: everything that one script call changed, as ledger rows. */
export interface StreamEntry {
  streamId: string;
  rows: LedgerRow[];
}

const changes = z.array(
  // A newer release may add fields: they are kept.
  z.looseObject({
    bucket: z.enum(BUCKETS),
    delta: z.int(),
    reason: z.enum(REASONS),
    period: z.tuple([z.int(), z.int(), z.int()]).optional(),
    lot: z.tuple([z.string(), z.int()]).optional(),
  }),
);

/** Reads what XRANGE gave, up to the first entry that cannot be read, and says why that one cannot. */
export function readEntries(found: readonly [string, string[]][]): {
  entries: StreamEntry[];
  problem: Error | null;
} {
  const entries: StreamEntry[] = [];
  for (const each of found) {
    try {
      entries.push(readEntry(each));
    } catch (cause) {
      return { entries, problem: new Error(`The stream's entry ${each[0]} cannot be read`, { cause }) };
    }
  }
  return { entries, problem: null };
}

/** Reads one entry. One that only marks a rebuild has no rows. Throws for what this release cannot read. */
export function readEntry([streamId, fields]: [string, string[]]): StreamEntry {
  const entry: Record<string, string> = {};
  for (let index = 0; index + 1 < fields.length; index += 2)
    entry[fields[index] ?? ''] = fields[index + 1] ?? '';
  if (entry.account === undefined) return { streamId, rows: [] };
  const { account } = entry;
  const seq = z.int().parse(Number(entry.seq));
  const createdAt = z.int().parse(Number(entry.at));
  const found = changes.parse(JSON.parse(entry.rows ?? '[]'));
  const rows = found.map(({ period, lot, ...change }, index): LedgerRow => {
    const isLast = index === found.length - 1;
    return {
      ...change,
      _id: transactionId(account, seq + index),
      account_id: account,
      seq: seq + index,
      created_at: createdAt,
      ...(isLast ? lastFields(entry) : {}),
      ...(period ? { period } : {}),
      ...(lot ? { lot } : {}),
    };
  });
  return { streamId, rows };
}

/** What belongs to the whole entry, and stands in its last row: the one that an idempotency key asked for. */
function lastFields({ idk, fingerprint = '', device, receipt, balance: left }: Record<string, string>) {
  const balance = left ? { balance: decodeBalance(left) } : {};
  if (!idk) return balance;
  return { idk, fingerprint, ...(device && receipt ? { device_id: device, receipt } : {}), ...balance };
}

/** Whether a stream id comes before another. They are `ms-counter`, both of any length. */
export function isEarlier(left: string, right: string): boolean {
  const [leftMs = 0n, leftCount = 0n] = left.split('-').map(BigInt);
  const [rightMs = 0n, rightCount = 0n] = right.split('-').map(BigInt);
  return leftMs === rightMs ? leftCount < rightCount : leftMs < rightMs;
}
