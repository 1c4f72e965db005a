import { z } from 'zod';
import { BUCKETS, REASONS } from '../../shared/core/credits/buckets.ts';
import { readLedger } from '../../shared/core/credits/ledger/read-ledger.ts';
import { detailsOf, ledgerTransaction, toTransaction } from '../../shared/core/credits/ledger/transaction.ts';
import type { LedgerItem } from '../../shared/core/credits/model.ts';
import { reply, route } from '../basics/route.ts';
import { makeSeqCursor, openSeqCursor } from '../schemas/page.ts';

const LARGEST_PAGE = 500;

const unixTime = z
  .string()
  .regex(/^\d{1,12}$/, 'must be Unix seconds')
  .transform(Number)
  .meta({ documentedAs: { type: 'integer', minimum: 0, maximum: 999_999_999_999 } });

const ledgerItem = ledgerTransaction.extend({
  id: z.string().optional().describe('With `include`: the id of the transaction'),
  device_id: z.string().optional().describe('With `include`, of a spend: the device that spent'),
  balance_after: z
    .int()
    .nullable()
    .optional()
    .describe(
      'With `include=details`: the credits of all buckets after it, or null where that is not known. Those of a window ' +
        'or a month count from the first spend in it',
    ),
});

export const getLedger = route({
  method: 'get',
  path: '/v1/ledger',
  summary: 'Read your own credit ledger, newest first',
  description:
    'It includes every spend that was answered before. Without `limit` all rows come, streamed. `include=details` adds the id of each ' +
    'transaction, the device of a spend and the balance after. It has no receipts: a device keeps those that it was given.',
  tag: 'Credits',
  auth: { kind: 'idp' },
  query: z.strictObject({
    limit: z
      .string()
      .regex(/^\d{1,3}$/, 'must be a whole number')
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= LARGEST_PAGE, `must be 1..${LARGEST_PAGE}`)
      .optional()
      .meta({
        description: 'The largest number of rows of the page; without it all rows come',
        documentedAs: { type: 'integer', minimum: 1, maximum: LARGEST_PAGE },
      }),
    cursor: z.string().min(1).max(1_000).optional().describe("The previous page's `cursor`"),
    include: z
      .enum(['details'])
      .optional()
      .describe('Shows the id of each transaction, the device of spends, and the balance after each'),
    bucket: z.enum(BUCKETS).optional(),
    reason: z.enum(REASONS).optional(),
    from: unixTime.optional().describe('Rows at or after this time (Unix seconds)'),
    to: unixTime.optional().describe('Rows before this time (Unix seconds)'),
  }),
  success: {
    status: 200,
    description: 'Transactions',
    body: z.strictObject({
      transactions: z.array(ledgerItem),
      has_more: z.boolean(),
      cursor: z.string(),
    }),
  },
  errors: ['invalid_cursor', 'outcome_unknown'],
  handle: async ({ principal, query }, ctx) => {
    const { limit, cursor, include, ...filter } = query;
    const { accountId } = principal;
    const scope = ['ledger', accountId, filter];
    const beforeSeq = openSeqCursor(ctx, scope, cursor);
    const listing: Listing = {
      read: (most) => readLedger(ctx, accountId, filter, { beforeSeq, limit: most, include }),
      view: include === 'details' ? detailsOf() : toTransaction,
      // Beyond the last row there is nothing: the first `seq` is 1.
      cursorAfter: (last) => makeSeqCursor(ctx, scope, last?.seq ?? beforeSeq ?? 1),
    };
    return limit === undefined ? reply(streamAll(listing)) : readPage(listing, limit);
  },
});

interface Listing {
  read: (limit: number) => AsyncIterable<LedgerItem[]>;
  view: (row: LedgerItem) => z.output<typeof ledgerItem>;
  cursorAfter: (last: LedgerItem | undefined) => string;
}

async function readPage({ read, view, cursorAfter }: Listing, limit: number) {
  const rows = (await Array.fromAsync(read(limit + 1))).flat();
  const shown = rows.slice(0, limit);
  return {
    transactions: shown.map(view),
    has_more: rows.length > limit,
    cursor: cursorAfter(shown.at(-1)),
  };
}

/** One JSON object in pieces: memory does not grow with the number of rows. */
async function* streamAll({ read, view, cursorAfter }: Listing): AsyncGenerator<string> {
  let last: LedgerItem | undefined;
  // Nothing goes out before the first rows: until then an error has a status of its own.
  let before = '{"transactions":[';
  for await (const rows of read(Number.MAX_SAFE_INTEGER)) {
    yield before + rows.map((row) => JSON.stringify(view(row))).join(',');
    before = ',';
    last = rows.at(-1);
  }
  yield `${last ? '' : before}],"has_more":false,"cursor":${JSON.stringify(cursorAfter(last))}}`;
}
