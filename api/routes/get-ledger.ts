import { z } from 'zod';
import { BUCKETS, REASONS } from '../../shared/credits/model.ts';
import { type LedgerFilter, type LedgerItem, readLedger } from '../../shared/credits/read-ledger.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { reply, route } from '../basics/route.ts';
import { ledgerTransaction } from '../schemas/ledger-transaction.ts';
import { makeCursor, openCursor } from '../schemas/page.ts';

const LARGEST_PAGE = 500;

const unixTime = z
  .string()
  .regex(/^\d{1,12}$/, 'must be Unix seconds')
  .transform(Number);

export const getLedger = route({
  method: 'get',
  path: '/v1/ledger',
  summary: 'Read your own credit ledger, newest first',
  description: 'What was answered before is in it. Without `limit` all rows come, streamed.',
  tag: 'Credits',
  auth: { kind: 'idp' },
  priority: 'read',
  query: z.strictObject({
    limit: z
      .string()
      .regex(/^\d{1,3}$/, 'must be a whole number')
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= LARGEST_PAGE, `must be 1..${LARGEST_PAGE}`)
      .optional()
      .describe(`Page size, 1..${LARGEST_PAGE}; without it all rows come`),
    cursor: z.string().min(1).max(1_000).optional().describe("The previous page's `cursor`"),
    bucket: z.enum(BUCKETS).optional(),
    reason: z.enum(REASONS).optional(),
    from: unixTime.optional().describe('Rows at or after this time (Unix seconds)'),
    to: unixTime.optional().describe('Rows before this time (Unix seconds)'),
  }),
  success: {
    status: 200,
    description: 'Transactions',
    body: z.strictObject({
      transactions: z.array(ledgerTransaction),
      has_more: z.boolean(),
      cursor: z.string(),
    }),
  },
  errors: ['invalid_cursor', 'outcome_unknown'],
  handle: async ({ principal, query }, ctx) => {
    const { limit, cursor, ...filter } = query;
    const scope = ['ledger', principal.accountId, filter];
    const { after } = openCursor(ctx, scope, cursor);
    const walk = { accountId: principal.accountId, filter, scope, beforeSeq: after?.atMs ?? null };
    return limit === undefined ? reply(streamAll(ctx, walk)) : readPage(ctx, walk, limit);
  },
});

interface Walk {
  accountId: string;
  filter: LedgerFilter;
  scope: unknown;
  beforeSeq: number | null;
}

async function readPage(ctx: Context, walk: Walk, limit: number) {
  const rows: LedgerItem[] = [];
  const page = { beforeSeq: walk.beforeSeq, limit: limit + 1 };
  for await (const chunk of readLedger(ctx, walk.accountId, walk.filter, page)) rows.push(...chunk);
  const shown = rows.slice(0, limit);
  return {
    transactions: shown.map(viewItem),
    has_more: rows.length > limit,
    cursor: cursorAfter(ctx, walk, shown.at(-1)),
  };
}

/** One JSON object in pieces: memory does not grow with the number of rows. */
async function* streamAll(ctx: Context, walk: Walk): AsyncGenerator<string> {
  let last: LedgerItem | undefined;
  let before = '{"transactions":[';
  const page = { beforeSeq: walk.beforeSeq, limit: Number.MAX_SAFE_INTEGER };
  for await (const chunk of readLedger(ctx, walk.accountId, walk.filter, page)) {
    yield before + chunk.map((row) => JSON.stringify(viewItem(row))).join(',');
    before = ',';
    last = chunk.at(-1);
  }
  yield `${last ? '' : before}],"has_more":false,"cursor":${JSON.stringify(cursorAfter(ctx, walk, last))}}`;
}

/** Beyond the last row there is nothing: the first `seq` is 1. */
function cursorAfter(ctx: Context, walk: Walk, last: LedgerItem | undefined): string {
  const seq = last?.seq ?? walk.beforeSeq ?? 1;
  return makeCursor(ctx, walk.scope, { atMs: seq, id: '', spanMs: 0 }, 0);
}

function viewItem({ delta, bucket, reason, created_at }: LedgerItem) {
  return { delta, bucket, reason, created_at };
}
