import { z } from 'zod';
import { BUCKETS, type LedgerRow, REASONS, type StoredAnswer } from './model.ts';

/** An entry of a shard's stream: everything that one script call changed. */
export interface OutboxEntry {
  streamId: string;
  rows: LedgerRow[];
  answer: StoredAnswer | null;
}

const entryRows = z.array(
  // A newer release may add fields: they are kept.
  z.looseObject({
    bucket: z.enum(BUCKETS),
    delta: z.int(),
    reason: z.enum(REASONS),
    period: z.tuple([z.int(), z.int(), z.int()]).optional(),
    lot: z.tuple([z.string(), z.int()]).optional(),
  }),
);

/** What XRANGE gives, up to the first entry that cannot be read, and why that one cannot. */
export function readEntries(found: readonly [string, string[]][]): {
  entries: OutboxEntry[];
  problem: Error | null;
} {
  const entries: OutboxEntry[] = [];
  for (const each of found) {
    try {
      entries.push(readEntry(each));
    } catch (cause) {
      return { entries, problem: new Error(`The stream's entry ${each[0]} cannot be read`, { cause }) };
    }
  }
  return { entries, problem: null };
}

/** As ledger rows. An entry that only marks a rebuild has none. */
function readEntry([streamId, fields]: [string, string[]]): OutboxEntry {
  const entry: Record<string, string> = {};
  for (let index = 0; index + 1 < fields.length; index += 2)
    entry[fields[index] ?? ''] = fields[index + 1] ?? '';
  if (entry.account === undefined) return { streamId, rows: [], answer: null };
  const { account, rows = '[]', idk, fingerprint = '', device, answer = '', expires } = entry;
  const seq = z.int().parse(Number(entry.seq));
  const at = z.int().parse(Number(entry.at));
  const changes = entryRows.parse(JSON.parse(rows));
  const ledgerRows = changes.map(({ period, lot, ...change }, index): LedgerRow => {
    const rowSeq = seq + index;
    const isLast = index === changes.length - 1;
    const keyed = idk && isLast ? { idk, fingerprint, ...(device ? { device_id: device } : {}) } : {};
    return {
      ...change,
      _id: idk && isLast ? `${account}:${idk}` : `${account}:#${rowSeq}`,
      account_id: account,
      seq: rowSeq,
      created_at: at,
      ...keyed,
      ...(period ? { period } : {}),
      ...(lot ? { lot } : {}),
    };
  });
  const stored = idk
    ? {
        _id: `${account}:${idk}`,
        account_id: account,
        idk,
        fingerprint,
        answer,
        expires_at: new Date(z.int().parse(Number(expires)) * 1_000),
      }
    : null;
  return { streamId, rows: ledgerRows, answer: stored };
}

/** Stream ids are `ms-counter`, both of any length. */
export function isEarlier(left: string, right: string): boolean {
  const [leftMs = 0n, leftCount = 0n] = left.split('-').map(BigInt);
  const [rightMs = 0n, rightCount = 0n] = right.split('-').map(BigInt);
  return leftMs === rightMs ? leftCount < rightCount : leftMs < rightMs;
}
