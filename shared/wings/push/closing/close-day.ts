import { type Organization, organizationRows } from '../../../core/accounts/organizations/model.ts';
import { readOrganization } from '../../../core/accounts/organizations/read-organization.ts';
import { signalRows } from '../../../core/calls/signals/model.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import { isDuplicateKey } from '../../../platform/basics/errors.ts';
import { batches } from '../../../platform/basics/in-batches.ts';
import { DAY_MS } from '../../../platform/basics/interval.ts';
import { startOfDay } from '../../../platform/basics/utc-days.ts';
import { commitPlan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { few } from '../../../platform/context/few.ts';
import { LONG_TRANSACTION } from '../../../platform/mongo/transaction.ts';
import { insertRow, updateRow } from '../../../platform/mongo/writes.ts';
import { keptSinceMs } from '../../exports/focus/export-focus.ts';
import { signalsIn } from '../../exports/focus/sum-charges.ts';
import {
  type ClosedPart,
  closedCost,
  closedKey,
  NO_UNPRICED,
  openRows,
  openUnpriced,
} from './closed-rows.ts';
import { type ClosedChunk, type ClosedHead, focusClosedRows } from './model.ts';
import { packRows } from './pack-rows.ts';
import { type DailyTable, readDaily, sumOf } from './read-usage.ts';
import { whileUnchanged } from './while-unchanged.ts';

/** Rows of a chunk: about a megabyte. */
const CHUNK_ROWS = 10_000;

export interface ClosingDay {
  organization: Organization;
  day: string;
  closed: readonly ClosedPart[];
}

/**
 * Keeps the rows that a day has in a billing period for ever: those of the day, or its corrections where something of it is
 * closed. A day without any keeps nothing, nor does one that is as it was. Repeating it changes nothing. Throws for a day that
 * does not rest, and one whose rows do not sum to usage though all its calls are there.
 */
export async function closeDay(ctx: Context, closing: ClosingDay, billingPeriod: string): Promise<void> {
  const { organization, day, closed } = closing;
  if (closed.some(({ billing_period, is_known }) => billing_period >= billingPeriod || !is_known)) return;
  const read = () => readDaily(ctx, organization, startOfDay(day));
  const first = await read();
  if (hasNothingToClose(first, closed)) return;
  const found = await whileUnchanged(first, () => makeRows(ctx, closing), read);
  if (found === null) throw new Error(`${day} of ${organization._id} changes while it is closed`);
  await keep(ctx, closing, billingPeriod, await checked(ctx, closing, found.made, found.usage));
}

/** Returns true where nothing has changed since the day was closed, or nothing ever was. */
function hasNothingToClose(usage: DailyTable | null, closed: readonly ClosedPart[]): boolean {
  const last = closed.at(-1);
  if (last === undefined) return usage?.isEmpty ?? false;
  return usage === null || usage.hash === last.usage_hash;
}

interface Made {
  chunks: string[];
  rows: number;
  costNusd: bigint;
  unpriced: ClosedHead['unpriced'];
}

async function makeRows(ctx: Context, { organization, day, closed }: ClosingDay): Promise<Made> {
  const made: Made = { chunks: [], rows: 0, costNusd: 0n, unpriced: NO_UNPRICED };
  if (startOfDay(day) < keptSinceMs(ctx)) return made;
  const flat = async function* () {
    for await (const rows of openRows(ctx, organization._id, day, closed)) yield* rows;
  };
  for await (const rows of batches(flat(), few(ctx, CHUNK_ROWS))) {
    made.chunks.push(packRows(rows));
    made.rows += rows.length;
    made.costNusd += rows.reduce((sum, { costNusd }) => sum + costNusd, 0n);
  }
  made.unpriced = await openUnpriced(ctx, organization._id, day, closed);
  return made;
}

/** The rows with the facts about them. A day whose calls are not all kept is not known, and nothing is kept of it. */
async function checked(
  ctx: Context,
  { organization, day, closed }: ClosingDay,
  made: Made,
  usage: DailyTable | null,
): Promise<{ head: ClosedHead; chunks: readonly string[] }> {
  const isKept =
    startOfDay(day) >= keptSinceMs(ctx) && (await areAllThere(ctx, organization._id, day, usage));
  if (isKept && usage !== null && usage.costNusd !== made.costNusd + closedCost(closed))
    throw new Error(`${day} of ${organization._id} does not sum to usage, so it was not closed`);
  const facts = {
    account_name: organization.name,
    usage_hash: usage?.hash ?? null,
    closed_at: dateAt(ctx.clock.now()),
  };
  const { chunks, rows, costNusd, unpriced } = made;
  const nothing = { chunks: 0, rows: 0, cost_nusd: '0', unpriced: NO_UNPRICED };
  if (!isKept) return { head: { ...facts, ...nothing, is_known: false }, chunks: [] };
  const head = {
    ...facts,
    chunks: chunks.length,
    rows,
    cost_nusd: String(costNusd),
    unpriced,
    is_known: true,
  };
  return { head, chunks };
}

/** Returns false where fewer calls of the day are there than usage counts: the others were purged. */
async function areAllThere(ctx: Context, orgId: string, day: string, usage: DailyTable | null) {
  if (usage === null) return true;
  const fromMs = startOfDay(day);
  const filter = signalsIn(orgId, {}, { fromMs, toMs: fromMs + DAY_MS });
  return BigInt(await signalRows(ctx).countDocuments(filter)) >= sumOf(usage, 'signals');
}

async function keep(
  ctx: Context,
  { organization, day, closed }: ClosingDay,
  billingPeriod: string,
  { head, chunks }: { head: ClosedHead; chunks: readonly string[] },
): Promise<void> {
  const isNothing = closed.length === 0 && head.is_known && head.rows === 0 && head.unpriced.signals === 0;
  if (isNothing) return;
  const key = closedKey(organization._id, day, billingPeriod);
  const row = (packed: string, chunk: number): ClosedChunk => ({
    _id: `${key}/${chunk}`,
    org_id: organization._id,
    day: dateAt(startOfDay(day)),
    billing_period: billingPeriod,
    chunk,
    packed,
  });
  const [first = '', ...others] = chunks;
  const rows = [{ ...row(first, 0), head }, ...others.map((packed, index) => row(packed, index + 1))];
  try {
    await commitPlan(
      ctx,
      async (transaction) => {
        // A month that another worker has closed meanwhile stays as it is; one that does so at the same time conflicts here.
        const now = await readOrganization(ctx, organization._id, transaction);
        if ((now.focus_closed_through ?? '') >= billingPeriod) return { result: undefined };
        const touch = updateRow(organizationRows, { _id: now._id }, { $inc: { focus_touches: 1 } });
        const writes = [...rows.map((chunk) => insertRow(focusClosedRows, chunk)), touch];
        return { writes, result: undefined };
      },
      LONG_TRANSACTION,
    );
  } catch (error) {
    // Another worker has closed the day.
    if (!isDuplicateKey(error)) throw error;
  }
}
