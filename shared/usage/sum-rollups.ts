import type { ClientSession } from 'mongoose';
import type { Organization } from '../organizations/model.ts';
import type { Context } from '../platform/context/context.ts';
import type { SignedRead } from './cover-range.ts';
import { addSums, negateSums, SUM_STAGE, type Sums, sumsOf } from './measures.ts';
import { rollupRows, usageTotalRows } from './model.ts';
import { joinReads, partsOf, type Read } from './plan-reads.ts';
import { freshSheets } from './sheets.ts';
import { addSheet, type Column, idOf, type Key, type Match, sumsOfTally, type Tally } from './sum-sheets.ts';
import { totalsAnswer } from './totals.ts';

export interface SummedRow {
  key: Key;
  sums: Sums;
}

interface Asked {
  reads: readonly SignedRead[];
  match: Match;
  columns: readonly Column[];
}

/**
 * Sums of the rollups in these reads, a row per combination of the asked columns' values: from the totals where they
 * know every column, else from the sheets of the periods that have a fresh one, else from the rollups.
 */
export async function sumRollups(
  ctx: Context,
  organization: Organization,
  asked: Asked,
  transaction?: ClientSession,
): Promise<SummedRow[]> {
  const { match, columns } = asked;
  const found = new Map<string, SummedRow>();
  const isOfOneUser = typeof match.user_id === 'string';
  const hasTotals = totalsAnswer([...columns, ...Object.keys(match)]);
  const reads =
    hasTotals || isOfOneUser ? asked.reads : await sumSheets(ctx, organization, asked, found, transaction);
  const source = hasTotals ? usageTotalRows(ctx) : rollupRows(ctx);
  for (const read of reads) {
    const stages = [...matchStages(organization._id, read, match), sumStage(columns)];
    const options = { useBigInt64: true, batchSize: 10_000, ...(transaction && { session: transaction }) };
    for (const { _id: of, ...row } of await source.aggregate(stages, options).toArray()) {
      const key: Key = of?.start ? { ...of, start: of.start.getTime() } : (of ?? {});
      addTo(found, key, read.sign === 1 ? sumsOf(row) : negateSums(sumsOf(row)));
    }
  }
  return [...found.values()];
}

/** Adds what fresh sheets hold, and returns what is left to be read. */
async function sumSheets(
  ctx: Context,
  organization: Organization,
  asked: Asked,
  found: Map<string, SummedRow>,
  transaction: ClientSession | undefined,
): Promise<SignedRead[]> {
  const { match, columns: by } = asked;
  const parts = asked.reads.flatMap((read) => partsOf(organization, read));
  const over = parts.filter(({ period, toMs }) => period !== 'quarter_hour' && toMs <= ctx.clock.now());
  const done = new Set<SignedRead>();
  const tallies = new Map<string, Tally>();
  for await (const { of, sheet } of freshSheets(ctx, organization._id, over, { transaction, keeps: true })) {
    done.add(of);
    addSheet(tallies, sheet, { startMs: of.fromMs, sign: of.sign, match, by });
  }
  for (const [id, tally] of tallies) found.set(id, { key: tally.key, sums: sumsOfTally(tally) });
  return joinReads(parts.filter((part) => !done.has(part)));
}

function addTo(found: Map<string, SummedRow>, key: Key, sums: Sums): void {
  const id = idOf(Object.values(key));
  const known = found.get(id);
  if (known) addSums(known.sums, sums);
  else found.set(id, { key, sums });
}

/**
 * The rows of a read that match. The range, of one user when one is named, is a stage of its own, as an index holds it
 * whole; MongoDB joins the two, the embedded server would read every row there is for a filter that the index does not
 * hold (docs/stores.md).
 */
export function matchStages(
  orgId: string,
  read: Read,
  { user_id, ...others }: Match,
): { $match: Record<string, unknown> }[] {
  const start = { $gte: new Date(read.fromMs), $lt: new Date(read.toMs) };
  const range = { org_id: orgId, period: read.period, start };
  const isOneUser = typeof user_id === 'string';
  const rest = user_id === undefined || isOneUser ? others : { user_id, ...others };
  const indexed = { $match: isOneUser ? { ...range, user_id } : range };
  return Object.keys(rest).length === 0 ? [indexed] : [indexed, { $match: rest }];
}

/** All measures by the values of these columns; without any, one sum of all. */
export function sumStage(columns: readonly Column[]): { $group: Record<string, unknown> } {
  const _id = columns.length === 0 ? null : Object.fromEntries(columns.map((name) => [name, `$${name}`]));
  return { $group: { _id, ...SUM_STAGE } };
}
