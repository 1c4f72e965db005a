import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClientSession } from 'mongoose';
import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import type { Organization } from '../../accounts/organizations/model.ts';
import { bucketOf } from './calendar.ts';
import { type Cell, type Column, createGrouping, type Match, matcherOf, type SummedRow } from './cells.ts';
import { refuseGroups } from './group-usage.ts';
import { makeSnapshotsJob } from './jobs.ts';
import { TOTAL_DIMENSIONS } from './model.ts';
import { readRollups } from './read-rollups.ts';
import { readTotals } from './read-totals.ts';
import { mayBeMade, readSnapshots } from './snapshots.ts';
import { joinParts, type Part, separate, type WholePart } from './split-range.ts';

/** Cells after which others have their turn of the event loop. */
const CELLS_PER_TURN = 200;

export interface AskedGroupings {
  parts: readonly Part[];
  match: Match;
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
  const { match, edges } = asked;
  const groupings = asked.groupings.map(createGrouping);
  const isWanted = matcherOf(match);
  const add = (part: Part, startMs: number, cell: Cell) => {
    const bucketMs = edges?.[bucketOf(edges, startMs)] ?? startMs;
    for (const grouping of groupings) {
      grouping.add(cell, bucketMs, part.sign);
      refuseMoreRows(grouping.columns, grouping.rows.length, asked.mostGroups);
    }
  };
  const addSnapshot = async (part: WholePart, cells: readonly Cell[]) => {
    for (const cell of cells) if (isWanted(cell)) add(part, part.fromMs, cell);
    if (cells.length >= CELLS_PER_TURN) await nextTurn();
  };
  await visitRollups(ctx, organization, asked, { addSnapshot, add }, transaction);
  return groupings.map(({ rows }) => rows);
}

export interface Visitor {
  /** Gets all cells of a closed day or month. They are the same array for as long as this process keeps it. */
  addSnapshot: (part: WholePart, cells: readonly Cell[]) => Promise<void>;
  add: (part: Part, startMs: number, cell: Cell) => void;
}

/** Reads the cells of these parts: from snapshots all of them, from rollups those that match. */
export async function visitRollups(
  ctx: Context,
  organization: Organization,
  asked: AskedGroupings,
  { addSnapshot, add }: Visitor,
  transaction: ClientSession,
): Promise<void> {
  const { match } = asked;
  const isOfOneUser = typeof match.user_id === 'string';
  const rest = isOfOneUser
    ? asked.parts
    : await addSnapshots(ctx, organization, asked, addSnapshot, transaction);
  for (const part of rest) {
    const sums = isOfTotals(asked)
      ? readTotals(ctx, organization, { part, match }, transaction)
      : readRollups(ctx, organization._id, { part, match, columns: columnsOf(asked, part) }, transaction);
    for await (const { startMs, cell } of sums) add(part, startMs, cell);
  }
}

/** Every column of any grouping. A part that lies in one bucket needs no starts. */
function columnsOf({ groupings, edges }: AskedGroupings, { fromMs, toMs }: Part): Column[] {
  const columns = [...new Set(groupings.flat())];
  const isOfOneBucket = edges !== undefined && bucketOf(edges, fromMs) === bucketOf(edges, toMs - 1);
  return isOfOneBucket ? columns.filter((column) => column !== 'start') : columns;
}

/** Gives `use` the snapshots that there are, and returns the parts that are left to be read. */
async function addSnapshots(
  ctx: Context,
  organization: Organization,
  asked: AskedGroupings,
  use: (part: WholePart, cells: readonly Cell[]) => Promise<void>,
  transaction: ClientSession,
): Promise<Part[]> {
  const nowMs = ctx.clock.now();
  const name = tableOf(asked);
  const byProvider = asked.groupings.flat().includes('provider');
  const missing: WholePart[] = [];
  let left = asked.parts.flatMap((part) => separate(organization, part));
  for (const period of ['month', 'day'] as const) {
    if (period === 'day') left = left.flatMap((part) => daysOf(organization, part));
    const parts = left.filter((part) => mayBeMade(part, nowMs)).filter((part) => part.period === period);
    if (parts.length === 0) continue;
    const result = await readSnapshots(ctx, organization._id, { parts, name, byProvider }, use, transaction);
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

function tableOf(asked: AskedGroupings): 'totals' | 'cells' | 'works' {
  if (isOfTotals(asked)) return 'totals';
  return asked.match.work !== undefined || asked.groupings.flat().includes('work') ? 'works' : 'cells';
}

/** Returns whether the totals hold every column that a question filters or groups by. */
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

function refuseMoreRows(columns: readonly Column[], rows: number, mostGroups = Number.POSITIVE_INFINITY) {
  const mostRows = mostGroups * ROWS_PER_GROUP;
  if (rows <= mostRows) return;
  if (!columns.includes('start')) refuseGroups(mostGroups);
  throw new DomainError(
    'invalid_request',
    `That makes more than ${mostRows} sums of a group and a bucket: set a filter, ask for a shorter range or a longer ` +
      'interval.',
  );
}
