import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { sameHash } from '../../shared/core/accounts/keys/credential.ts';
import { PAGE_SIZE } from '../../shared/platform/basics/contract.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import {
  COUNTED_ROWS,
  type Listed,
  type ListPage,
  type Order,
  type Position,
} from '../../shared/platform/basics/paginate.ts';
import type { Context } from '../../shared/platform/context/context.ts';

/** The query parameters that every list takes. */
export const pageQuery = {
  limit: z
    .string()
    .regex(/^[0-9]{1,4}$/, 'must be a whole number')
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= PAGE_SIZE.max, `must be 1..${PAGE_SIZE.max}`)
    .default(PAGE_SIZE.default)
    .meta({
      description: 'The largest number of items of the page',
      documentedAs: { type: 'integer', minimum: 1, maximum: PAGE_SIZE.max, default: PAGE_SIZE.default },
    }),
  cursor: z.string().min(1).max(1_000).optional().describe("The previous page's `cursor`"),
  order: z.enum(['desc', 'asc']).default('desc'),
};

/** The envelope of every list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    data: z.array(item),
    cursor: z
      .string()
      .describe("Pass back as `cursor`; the last page's yields an empty page until more comes"),
    has_more: z.boolean(),
    total: z.int().describe('Number of all that match, counted with the first page'),
  });
}

/** The envelope of a list that may be too long to count. */
export function longPageOf<Item extends z.ZodType>(item: Item) {
  const most = COUNTED_ROWS.toLocaleString('en');
  const described = `Number of all that match, counted with the first page. Null: more than ${most} were to be looked at`;
  return pageOf(item).extend({ total: z.int().nullable().describe(described) });
}

const cursorContent = z.strictObject({
  a: z.number().nullable(),
  i: z.string(),
  s: z.number(),
  t: z.int(),
});

/**
 * Opens a cursor, which is bound to `scope` (route, tenant, filters, order). Throws `invalid_cursor` when it is forged
 * or belongs to another query.
 */
function openCursor(
  ctx: Context,
  scope: unknown,
  cursor: string | undefined,
): Pick<ListPage, 'after' | 'total'> {
  if (cursor === undefined) return { after: null, total: null };
  const content = readCursor(ctx, scope, cursor, cursorContent);
  // An empty list has nothing to go on from: what came since is a new list, which is counted again.
  if (content.a === null) return { after: null, total: null };
  return { after: { at: content.a, id: content.i, span: content.s }, total: content.t };
}

/**
 * One page in the envelope: opens the cursor, loads, shows each row, makes the next cursor. `scope` is what the cursor
 * is bound to, beside the order.
 */
export async function answerPage<Row, View>(
  ctx: Context,
  scope: readonly unknown[],
  query: { limit: number; cursor?: string | undefined; order: Order },
  load: (page: ListPage) => Promise<Listed<Row>>,
  view: (row: Row) => View,
): Promise<{ data: View[]; cursor: string; has_more: boolean; total: number }> {
  const { limit, cursor, order } = query;
  const bound = [...scope, order];
  const page = await load({ order, limit, ...openCursor(ctx, bound, cursor) });
  return {
    data: page.rows.map(view),
    cursor: makeCursor(ctx, bound, page.last, page.total),
    has_more: page.hasMore,
    total: page.total,
  };
}

/** The same in the envelope of `longPageOf`. */
export async function answerLongPage<Row, View>(...asked: Parameters<typeof answerPage<Row, View>>) {
  const { total, ...page } = await answerPage(...asked);
  return { ...page, total: total > COUNTED_ROWS ? null : total };
}

/** The opaque cursor of a page that ended at `last`, signed so that nobody else can make one. */
function makeCursor(ctx: Context, scope: unknown, last: Position | null, total: number): string {
  const content = { a: last?.at ?? null, i: last?.id ?? '', s: last?.span ?? 0, t: total };
  return signCursor(ctx, scope, content);
}

const seqContent = z.strictObject({ seq: z.int() });

/** The `seq` in a cursor of a list that is ordered by it; null without a cursor. Throws `invalid_cursor`. */
export function openSeqCursor(ctx: Context, scope: unknown, cursor: string | undefined): number | null {
  return cursor === undefined ? null : readCursor(ctx, scope, cursor, seqContent).seq;
}

/** The cursor of a page that ended at the row `seq`. */
export function makeSeqCursor(ctx: Context, scope: unknown, seq: number): string {
  return signCursor(ctx, scope, { seq });
}

function readCursor<Content>(
  ctx: Context,
  scope: unknown,
  cursor: string,
  schema: z.ZodType<Content>,
): Content {
  const [payload = '', mac = ''] = cursor.split('.');
  if (sameHash(mac, sign(ctx, scope, payload))) {
    const content = schema.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
    if (content.success) return content.data;
  }
  throw new DomainError(
    'invalid_cursor',
    'Start again without a cursor, or repeat the filters that this one came with.',
  );
}

function signCursor(ctx: Context, scope: unknown, content: object): string {
  const payload = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${payload}.${sign(ctx, scope, payload)}`;
}

function sign(ctx: Context, scope: unknown, payload: string): string {
  return createHmac('sha256', ctx.config.cursorSecret)
    .update(JSON.stringify([scope, payload]))
    .digest()
    .subarray(0, 16)
    .toString('base64url');
}
