import { z } from 'zod';
import { BUCKETS, type LedgerRow, REASONS, type StoredAnswer } from './model.ts';

/** An entry of a shard's stream: everything that one script call changed. */
export interface OutboxEntry {
  streamId: string;
  rows: LedgerRow[];
  answer: StoredAnswer | null;
}

const entryRows = z.array(
  z.strictObject({
    bucket: z.enum(BUCKETS),
    delta: z.int(),
    reason: z.enum(REASONS),
    period: z.tuple([z.int(), z.int(), z.int()]).optional(),
    lot: z.tuple([z.string(), z.int()]).optional(),
  }),
);

/** What XRANGE gives, as ledger rows. An entry that only marks a rebuild has none. */
export function readEntry([streamId, fields]: [string, string[]]): OutboxEntry {
  const entry: Record<string, string> = {};
  for (let index = 0; index + 1 < fields.length; index += 2)
    entry[fields[index] ?? ''] = fields[index + 1] ?? '';
  if (entry.account === undefined) return { streamId, rows: [], answer: null };
  const { account, seq, at, rows = '[]', idk, fingerprint = '', device, answer = '', expires } = entry;
  const changes = entryRows.parse(JSON.parse(rows));
  const ledgerRows = changes.map((change, index): LedgerRow => {
    const rowSeq = Number(seq) + index;
    const isLast = index === changes.length - 1;
    const keyed = idk && isLast ? { idk, fingerprint, ...(device ? { device_id: device } : {}) } : {};
    return {
      _id: idk && isLast ? `${account}:${idk}` : `${account}:#${rowSeq}`,
      account_id: account,
      seq: rowSeq,
      delta: change.delta,
      bucket: change.bucket,
      reason: change.reason,
      created_at: Number(at),
      ...keyed,
      ...(change.period ? { period: change.period } : {}),
      ...(change.lot ? { lot: change.lot } : {}),
    };
  });
  const stored = idk
    ? {
        _id: `${account}:${idk}`,
        account_id: account,
        idk,
        fingerprint,
        answer,
        expires_at: new Date(Number(expires) * 1_000),
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
