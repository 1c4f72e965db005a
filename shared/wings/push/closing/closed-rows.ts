import { dateAt } from '../../../platform/basics/clock.ts';
import { hashedKey } from '../../../platform/basics/ids.ts';
import { DAY_MS } from '../../../platform/basics/interval.ts';
import { dayAt, startOfDay } from '../../../platform/basics/utc-days.ts';
import type { Context } from '../../../platform/context/context.ts';
import { countUnpriced } from '../../exports/focus/export-focus.ts';
import { type ChargeRow, compareRows, sumCharges } from '../../exports/focus/sum-charges.ts';
import { type ClosedHead, focusClosedRows } from './model.ts';
import { unpackRows } from './pack-rows.ts';

/** The part of a day that a billing period has closed. */
export interface ClosedPart extends ClosedHead {
  day: string;
  billing_period: string;
}

/** The key of what a billing period closed of a day, without the number of the chunk. */
export function closedKey(orgId: string, day: string, billingPeriod: string): string {
  return hashedKey(18, orgId, day, billingPeriod);
}

/** The closed parts of the days from `first` to `last`, by day, each in the order of billing periods. */
export async function readClosed(
  ctx: Context,
  orgId: string,
  first: string,
  last: string,
): Promise<Map<string, ClosedPart[]>> {
  const day = { $gte: dateAt(startOfDay(first)), $lte: dateAt(startOfDay(last)) };
  const rows = await focusClosedRows(ctx)
    .find({ org_id: orgId, day, chunk: 0 }, { projection: { packed: 0 } })
    .toArray();
  const parts = rows.flatMap(({ head, ...row }) =>
    head ? [{ ...head, day: dayAt(row.day.getTime()), billing_period: row.billing_period }] : [],
  );
  parts.sort((a, b) => (a.billing_period < b.billing_period ? -1 : 1));
  return Map.groupBy(parts, (part) => part.day);
}

export async function* closedRows(
  ctx: Context,
  orgId: string,
  { day, billing_period, chunks }: ClosedPart,
): AsyncGenerator<ChargeRow[]> {
  const key = closedKey(orgId, day, billing_period);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    const row = await focusClosedRows(ctx).findOne({ _id: `${key}/${chunk}` });
    if (!row) throw new Error(`chunk ${chunk} of a closed day is not there`);
    yield unpackRows(row.packed);
  }
}

/** The rows of a day as it is now, less what is closed of it: with nothing closed those of the day, else its corrections. */
export function openRows(
  ctx: Context,
  orgId: string,
  day: string,
  closed: readonly ClosedPart[],
): AsyncIterable<ChargeRow[]> {
  const fromMs = startOfDay(day);
  const now = sumCharges(ctx, orgId, {}, { fromMs, toMs: fromMs + DAY_MS });
  return subtractRows(
    now,
    closed.map((part) => closedRows(ctx, orgId, part)),
  );
}

export const NO_UNPRICED: ClosedHead['unpriced'] = { signals: 0, tokens: 0 };

/** The calls of a day without a price, less those that are closed. */
export async function openUnpriced(
  ctx: Context,
  orgId: string,
  day: string,
  closed: readonly ClosedPart[],
): Promise<ClosedHead['unpriced']> {
  const fromMs = startOfDay(day);
  const now = await countUnpriced(ctx, orgId, {}, { fromMs, toMs: fromMs + DAY_MS });
  return closed.reduce(
    (left, { unpriced }) => ({
      signals: left.signals - unpriced.signals,
      tokens: left.tokens - unpriced.tokens,
    }),
    now,
  );
}

/** The sum of what is closed of a day, nano-USD. */
export function closedCost(closed: readonly ClosedPart[]): bigint {
  return closed.reduce((sum, { cost_nusd }) => sum + BigInt(cost_nusd), 0n);
}

type Rows = AsyncIterable<readonly ChargeRow[]>;

const BATCH_ROWS = 1_000;

/**
 * The rows of a day now less those that are closed, where anything is left, in their order. All streams are in the order of
 * rows, so that one row of each is in memory beside the batches that they come in.
 */
async function* subtractRows(now: Rows, closed: readonly Rows[]): AsyncGenerator<ChargeRow[]> {
  if (closed.length === 0) {
    for await (const rows of now) yield [...rows];
    return;
  }
  const opened = await Promise.all([openSource(now, 1), ...closed.map((rows) => openSource(rows, -1))]);
  let batch: ChargeRow[] = [];
  for (let first = smallest(opened); first !== null; first = smallest(opened)) {
    const row: ChargeRow = { ...first, calls: 0, consumed: 0, costNusd: 0n, listNusd: 0n };
    for (const source of opened) {
      const own = source.row();
      if (own === null || compareRows(own, row) !== 0) continue;
      add(row, own, source.sign);
      if (!source.step()) await source.load();
    }
    if (row.calls !== 0 || row.consumed !== 0 || row.costNusd !== 0n || row.listNusd !== 0n) batch.push(row);
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function add(row: ChargeRow, { calls, consumed, costNusd, listNusd }: ChargeRow, sign: 1 | -1): void {
  row.calls += sign * calls;
  row.consumed += sign * consumed;
  row.costNusd += BigInt(sign) * costNusd;
  row.listNusd += BigInt(sign) * listNusd;
}

interface Source {
  sign: 1 | -1;
  row: () => ChargeRow | null;
  /** Goes to the next row of the batch. False: the next batch has to be loaded. */
  step: () => boolean;
  load: () => Promise<void>;
}

async function openSource(rows: Rows, sign: 1 | -1): Promise<Source> {
  const batches = rows[Symbol.asyncIterator]();
  let batch: readonly ChargeRow[] = [];
  let at = 0;
  const load = async () => {
    do {
      const next = await batches.next();
      batch = next.done ? [] : next.value;
      at = 0;
      if (next.done) return;
    } while (batch.length === 0);
  };
  await load();
  const step = () => {
    at += 1;
    return at < batch.length;
  };
  return { sign, row: () => batch[at] ?? null, step, load };
}

function smallest(sources: readonly Source[]): ChargeRow | null {
  let found: ChargeRow | null = null;
  for (const source of sources) {
    const row = source.row();
    if (row !== null && (found === null || compareRows(row, found) < 0)) found = row;
  }
  return found;
}
