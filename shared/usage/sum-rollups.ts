import type { ClientSession } from 'mongoose';
import type { Organization } from '../organizations/model.ts';
import { DomainError } from '../platform/basics/errors.ts';
import { createPace, mapAtPace } from '../platform/basics/next-turn.ts';
import type { Context } from '../platform/context/context.ts';
import { bucketOf } from './calendar.ts';
import { refuseGroups } from './group-usage.ts';
import { makeSnapshotsJob } from './jobs.ts';
import { rollupRows, TOTAL_DIMENSIONS } from './model.ts';
import { mayBeMade } from './plan-stale-snapshots.ts';
import { readSnapshots } from './read-snapshots.ts';
import { readTotalsOfDays } from './remembered-totals.ts';
import { inPart, ROWS_PER_ANSWER, type RollupSum, readSums } from './rollup-stages.ts';
import { joinParts, type Part, rollupPeriodOf, separate, type WholePart } from './split-range.ts';
import {
  addRow,
  addTable,
  type Column,
  type Grouped,
  type Key,
  type Match,
  type SummedRow,
  sumsOfAggregate,
} from './sum-tables.ts';
import type { Table } from './table.ts';

export interface AskedGroupings {
  parts: readonly Part[];
  match: Match;
  /** The columns of each grouping. */
  groupings: readonly (readonly Column[])[];
  /** The edges of the buckets whose starts are the values of the column `start`. */
  edges?: readonly number[];
  /** Many more rows than groups are `invalid_request`. */
  mostGroups?: number | undefined;
}

/** A question of one grouping. */
export type AskedSums = Omit<AskedGroupings, 'groupings'> & { columns: readonly Column[] };

/** `sumGroupings` of one grouping. */
export async function sumRollups(
  ctx: Context,
  organization: Organization,
  { columns, ...asked }: AskedSums,
  transaction: ClientSession,
): Promise<SummedRow[]> {
  const [rows = []] = await sumGroupings(ctx, organization, { ...asked, groupings: [columns] }, transaction);
  return rows;
}

/**
 * Sums of the rollups in these parts, for each grouping one row per combination of its columns' values, all of one read:
 * from the snapshots of months that have one, else of days that have one, else from the rollups. A snapshot that is missing
 * is made soon after, by a worker.
 */
export async function sumGroupings(
  ctx: Context,
  organization: Organization,
  asked: AskedGroupings,
  transaction: ClientSession,
): Promise<SummedRow[][]> {
  const found = asked.groupings.map((by): Grouped => ({ by, aggregates: new Map() }));
  const isOfOneUser = typeof asked.match.user_id === 'string';
  const pace = createPace();
  const rest = isOfOneUser ? asked.parts : await addSnapshots(ctx, organization, asked, found, transaction);
  for (const part of rest) {
    for await (const { of, row } of readPart(ctx, organization, asked, part, transaction)) {
      await pace();
      const key: Key = { ...of, start: startOf(asked, part, of?.start?.getTime()) };
      for (const grouped of found) {
        addRow(grouped, key, row, part.sign ?? 1);
        refuseMoreRows(grouped, asked);
      }
    }
  }
  const rowsOf = ({ aggregates }: Grouped) =>
    mapAtPace([...aggregates.values()], (one) => ({ key: one.key, sums: sumsOfAggregate(one) }));
  return Promise.all(found.map(rowsOf));
}

async function* readPart(
  ctx: Context,
  organization: Organization,
  asked: AskedGroupings,
  part: Part,
  transaction: ClientSession,
): AsyncGenerator<RollupSum> {
  const { _id: orgId } = organization;
  if (isOfTotals(asked)) {
    yield* readTotalsOfDays(ctx, organization, part, asked.match, transaction);
  } else if (hasSumPerRow(asked, part)) {
    const options = { useBigInt64: true, batchSize: ROWS_PER_ANSWER, session: transaction };
    for await (const row of rollupRows(ctx).find(inPart(orgId, part), options)) {
      const { user_id, project_id, model, adapter, start } = row;
      yield { of: { user_id, project_id, model, adapter, start }, row };
    }
  } else {
    yield* readSums(ctx, orgId, part, { match: asked.match, columns: columnsOf(asked, part) }, transaction);
  }
}

/**
 * Whether there are about as many sums as rollups: of all users of days. Then the rows themselves are read. The embedded
 * store serves no other transaction while it sums up, but others between two of its answers (docs/stores.md).
 */
function hasSumPerRow({ groupings, match }: AskedGroupings, part: Part): boolean {
  const isByUser = groupings.some((columns) => columns.includes('user_id'));
  return isByUser && rollupPeriodOf(part) === 'day' && Object.keys(match).length === 0;
}

/** Every column of any grouping. The start is known of a part that belongs to one bucket. */
function columnsOf({ groupings }: AskedGroupings, { bucketMs }: Part): Column[] {
  const columns = [...new Set(groupings.flat())];
  return bucketMs === undefined ? columns : columns.filter((column) => column !== 'start');
}

/** Adds what snapshots hold, and returns what is left to be read. */
async function addSnapshots(
  ctx: Context,
  organization: Organization,
  asked: AskedGroupings,
  found: readonly Grouped[],
  transaction: ClientSession,
): Promise<Part[]> {
  const { match } = asked;
  const nowMs = ctx.clock.now();
  const addPart = (part: Part, table: Table): void => {
    const startMs = startOf(asked, part, part.fromMs);
    for (const grouped of found) {
      addTable(grouped, table, { startMs, sign: part.sign ?? 1, match });
      refuseMoreRows(grouped, asked);
    }
  };
  const name = isOfTotals(asked) ? 'totals' : 'cells';
  const missing: WholePart[] = [];
  let left = asked.parts.flatMap((part) => separate(organization, part));
  for (const period of ['month', 'day'] as const) {
    if (period === 'day') left = left.flatMap((part) => daysOf(organization, part));
    const closed = left.filter((part) => mayBeMade(part, nowMs)).filter((part) => part.period === period);
    if (closed.length === 0) continue;
    const wanted = { parts: closed, name } as const;
    const result = await readSnapshots(ctx, organization._id, wanted, addPart, transaction);
    missing.push(...result.missing);
    const answered: ReadonlySet<Part> = result.answered;
    left = left.filter((part) => !answered.has(part));
  }
  wakeMaker(ctx, organization._id, missing);
  return joinParts(left);
}

/** The days of a month that no snapshot has answered; another part as it is. */
function daysOf(organization: Organization, part: Part): Part[] {
  return part.period === 'month' ? separate(organization, { ...part, period: 'day' }) : [part];
}

/** The value of the column `start` for what began at a moment: its bucket's start where there are buckets. */
function startOf({ edges }: AskedGroupings, { bucketMs }: Part, startMs = 0): number {
  if (bucketMs !== undefined || edges === undefined) return bucketMs ?? startMs;
  return edges[bucketOf(edges, startMs)] ?? startMs;
}

/** Whether the totals hold every column that a question filters or groups by. */
function isOfTotals({ groupings, match }: AskedGroupings): boolean {
  const known: ReadonlySet<string> = new Set(['start', ...TOTAL_DIMENSIONS]);
  return [...groupings.flat(), ...Object.keys(match)].every((column) => known.has(column));
}

function wakeMaker(ctx: Context, orgId: string, missing: readonly WholePart[]): void {
  if (missing.length === 0) return;
  const from_ms = Math.min(...missing.map(({ fromMs }) => fromMs));
  const to_ms = Math.max(...missing.map(({ toMs }) => toMs));
  const id = `${orgId}-${from_ms}-${to_ms}`;
  ctx.queues.wake(makeSnapshotsJob, [{ id, job: { range: { org_id: orgId, from_ms, to_ms } }, delayMs: 0 }]);
}

/** A group may be made of several buckets, and rows of a day be taken away again: a bound on what is held at once. */
const ROWS_PER_GROUP = 10;

function refuseMoreRows(
  { aggregates }: Grouped,
  { mostGroups = Number.POSITIVE_INFINITY, edges }: AskedGroupings,
): void {
  const mostRows = mostGroups * ROWS_PER_GROUP;
  if (aggregates.size <= mostRows) return;
  if (edges === undefined) refuseGroups(mostGroups);
  throw new DomainError(
    'invalid_request',
    `That makes more than ${mostRows} sums of a group and a bucket: set a filter, ask for a shorter range or a longer ` +
      'interval.',
  );
}
