import type { Organization } from '../../core/accounts/organizations/model.ts';
import { dimensionOf } from '../../core/calls/sessions/dimension.ts';
import { WORK_FIELDS, type WorkNames } from '../../core/calls/signals/place.ts';
import {
  type Cell,
  createGrouping,
  type Grouping,
  type Match,
  matcherOf,
} from '../../core/calls/usage/cells.ts';
import { cellOf } from '../../core/calls/usage/make-snapshots.ts';
import { addSums, isZero, noSums, type Sums, sumsOf } from '../../core/calls/usage/measures.ts';
import { DIMENSIONS, type Dimensions, MEASURES, rollupRows } from '../../core/calls/usage/model.ts';
import type { Range } from '../../core/calls/usage/range.ts';
import { inPart, sumStage } from '../../core/calls/usage/read-rollups.ts';
import { readCellsOnce } from '../../core/calls/usage/snapshots.ts';
import { type Part, separate, splitRange } from '../../core/calls/usage/split-range.ts';
import { sumOfSignals } from '../../core/calls/usage/sum-signals.ts';
import { dateAt, isoTime } from '../../platform/basics/clock.ts';
import type { Columns, Row } from '../../platform/basics/columns.ts';
import { batches } from '../../platform/basics/in-batches.ts';
import { DAY_MS } from '../../platform/basics/interval.ts';
import type { Context } from '../../platform/context/context.ts';
import { inTransaction } from '../../platform/mongo/transaction.ts';

/** Rows that one read of the store brings. */
const BATCH_ROWS = 1_000;
/** Rows that are made at once of sums in memory. */
const MADE_ROWS = 100;

export function columnsOfDays(level: 'daily' | 'attributed'): Columns {
  const texts = level === 'daily' ? DIMENSIONS : [...DIMENSIONS, ...WORK_FIELDS];
  return [
    { name: 'start', type: 'time' },
    ...texts.map((name) => ({ name, type: 'text' as const })),
    ...MEASURES.map((name) =>
      name === 'cost_nusd'
        ? ({ name: 'cost_usd', type: 'money' } as const)
        : { name, type: 'integer' as const },
    ),
  ];
}

/** A row per day and (user, project, model, adapter), day by day, in the range's timezone. */
export async function* dailyRows(
  ctx: Context,
  organization: Organization,
  range: Range,
  equal: Match,
): AsyncGenerator<readonly Row[]> {
  for (const { start, parts } of daysOf(organization, range)) {
    for await (const cells of daySums(ctx, organization._id, parts, { equal, dimensions: DIMENSIONS })) {
      yield rowsOf(start, cells);
    }
  }
}

/** A session that moved to another model or start leaves a row of zeros behind. */
function rowsOf(start: string, cells: readonly Cell[]): Row[] {
  return cells
    .filter((cell) => !isZero(cell))
    .map((cell) => [start, ...DIMENSIONS.map((name) => cell[name] ?? ''), ...measuresOf(cell)]);
}

/** The rows of a UTC day at the level `daily` from its calls and sessions, which takes longer than from rollups. */
export async function dailyRowsOfCalls(ctx: Context, orgId: string, fromMs: number): Promise<Row[]> {
  const inUtc = { _id: orgId, timezones: [{ from: dateAt(0), timezone: 'UTC' }] };
  const rollups = await sumOfSignals(ctx, inUtc, { fromMs, toMs: fromMs + DAY_MS });
  const grouping = createGrouping(DIMENSIONS);
  for (const rollup of rollups) if (rollup.period === 'day') grouping.add(cellOf(rollup));
  return rowsOf(isoTime(fromMs), cellsOf(grouping));
}

function* daysOf(organization: Organization, { edges }: Range): Generator<{ start: string; parts: Part[] }> {
  for (let index = 0; index + 1 < edges.length; index += 1) {
    const parts = splitRange(organization, edges.slice(index, index + 2));
    const separated = parts.flatMap((part) => separate(organization, part));
    yield { start: isoTime(edges[index] ?? 0), parts: separated };
  }
}

function measuresOf(sums: Sums): (number | bigint)[] {
  return MEASURES.map((measure) => sums[measure]);
}

/** The same by the names of works too: works of equal names, such as two stretches of a branch, are one row. */
export async function* attributedRows(
  ctx: Context,
  organization: Organization,
  range: Range,
  equal: Match,
): AsyncGenerator<readonly Row[]> {
  const dimensions = [...DIMENSIONS, 'work'] as const;
  for (const { start, parts } of daysOf(organization, range)) {
    const rows = new Map<string, { key: (string | null)[]; sums: Sums }>();
    for await (const cells of daySums(ctx, organization._id, parts, { equal, dimensions })) {
      const works = await namesIn(ctx, organization._id, cells);
      for (const cell of cells) {
        const work = works.get(cell.work ?? '');
        const names = WORK_FIELDS.map((name) => work?.[name] ?? null);
        const key = [...DIMENSIONS.map((name) => cell[name] ?? ''), ...names];
        const id = JSON.stringify(key);
        const row = rows.get(id) ?? { key, sums: noSums() };
        rows.set(id, row);
        addSums(row.sums, cell);
      }
    }
    yield [...rows.values()]
      .filter(({ sums }) => !isZero(sums))
      .map(({ key, sums }) => [start, ...key, ...measuresOf(sums)]);
  }
}

function namesIn(ctx: Context, orgId: string, cells: readonly Cell[]): Promise<WorkNames> {
  const ids = new Set(cells.map(({ work = '' }) => work));
  return inTransaction(ctx.db, (transaction) => dimensionOf(ctx).names(ctx, orgId, { ids }, transaction));
}

interface AskedDays {
  equal: Match;
  dimensions: readonly (keyof Dimensions)[];
}

async function* daySums(
  ctx: Context,
  orgId: string,
  parts: readonly Part[],
  asked: AskedDays,
): AsyncGenerator<readonly Cell[]> {
  const [first, ...others] = parts;
  if (first && others.length === 0) {
    yield* readCells(ctx, orgId, first, asked);
    return;
  }
  const grouping = createGrouping(asked.dimensions);
  for (const part of parts)
    for await (const cells of readCells(ctx, orgId, part, asked))
      for (const cell of cells) grouping.add(cell);
  yield cellsOf(grouping);
}

function cellsOf({ rows }: Grouping): Cell[] {
  return rows.map(({ key, sums }) => ({ ...(key as Partial<Cell>), ...sums }));
}

async function* readCells(
  ctx: Context,
  orgId: string,
  part: Part,
  asked: AskedDays,
): AsyncGenerator<readonly Cell[]> {
  const { period, fromMs, toMs } = part;
  const { equal, dimensions } = asked;
  const table = dimensions.includes('work') || equal.work !== undefined ? 'works' : 'cells';
  const cells =
    period === 'quarter_hour' || typeof equal.user_id === 'string'
      ? null
      : await readCellsOnce(ctx, orgId, { period, fromMs, toMs }, table);
  if (cells === null) return yield* readStoredCells(ctx, orgId, part, asked);
  yield* merged(Iterator.from(cells).filter(matcherOf(equal)), dimensions);
}

/**
 * Cells of a snapshot in batches, with those as one that follow each other and differ in other dimensions alone. Few are there at
 * once: objects of a whole day outlive collections of V8's young generation, and its heap grows to four times what it holds.
 */
function* merged(
  cells: Iterable<Cell>,
  dimensions: readonly (keyof Dimensions)[],
): Generator<readonly Cell[]> {
  let batch: Cell[] = [];
  for (const cell of cells) {
    const last = batch.at(-1);
    if (last && dimensions.every((name) => last[name] === cell[name])) {
      addSums(last, cell);
      continue;
    }
    if (batch.length === MADE_ROWS) {
      yield batch;
      batch = [];
    }
    batch.push(cell);
  }
  if (batch.length > 0) yield batch;
}

async function* readStoredCells(
  ctx: Context,
  orgId: string,
  part: Part,
  { equal, dimensions }: AskedDays,
): AsyncGenerator<readonly Cell[]> {
  const stages = [{ $match: { ...inPart(orgId, part), ...equal } }, sumStage(dimensions)];
  const cursor = rollupRows(ctx).aggregate(stages, { useBigInt64: true, batchSize: BATCH_ROWS });
  try {
    for await (const rows of batches(cursor, BATCH_ROWS))
      yield rows.map(({ _id, ...row }) => ({ ..._id, ...sumsOf(row) }));
  } finally {
    await cursor.close();
  }
}
