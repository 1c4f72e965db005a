import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { cellOf, snapshotOf } from '../../shared/core/calls/usage/make-snapshots.ts';
import {
  type Rollup,
  type RollupPeriod,
  rollupRows,
  snapshotRows,
} from '../../shared/core/calls/usage/model.ts';
import { rollupKey } from '../../shared/core/calls/usage/plan-rollups.ts';
import { freezeAnalytics } from '../../shared/wings/analytics/freeze-weeks.ts';
import { numberOption, onStage, percentiles, type Row, report, round } from './bench.ts';
import { makeKey, type Stage } from './stage.ts';
import { measureExport } from './usage-exports.ts';

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
const ROWS_PER_USER_DAY = 2;
const SIGNALS_PER_ROW = 14;
/** Quarter hours in which a user works a day, of the last 35 days. */
const QUARTERS_PER_USER_DAY = 8;
const FORMATS = ['csv', 'ndjson', 'parquet'];

interface Size {
  users: number;
  days: number;
  rounds: number;
}

/**
 * Reads of a year of rollups, and exports of all days that there are, from an api process of its own.
 * `--users N`, `--days N`, `--rounds N`; `--part reads`, `exports`, `csv`, `ndjson` or `parquet` for some of it.
 */
export async function runUsageBench(args: string[]): Promise<void> {
  const part = args.includes('--part') ? args[args.indexOf('--part') + 1] : undefined;
  const size: Size = {
    users: numberOption(args, 'users', 1_000),
    days: numberOption(args, 'days', part === 'reads' ? 400 : 500),
    rounds: numberOption(args, 'rounds', 120),
  };
  await onStage(async (stage) => {
    const { orgId, key } = await makeKey(stage);
    const began = performance.now();
    const rollups = await seed(stage, orgId, size, part === undefined || part === 'reads');
    console.log(`${rollups} rollups in ${round((performance.now() - began) / 1_000, 0)} s`);
    const organization = await readOrganization(stage.ctx, orgId);
    console.log(
      'analytics:',
      await freezeAnalytics(stage.ctx, organization, { lateSinceMs: stage.ctx.clock.now() }),
    );
    if (part === undefined || part === 'reads') {
      const { url, end } = await stage.startApi();
      report('usage reads', await measureReads(url, key, orgId, size, stage.ctx.clock.now()));
      await end();
    }
    const formats = FORMATS.filter((format) => [undefined, 'exports', format].includes(part));
    const rows: Row[] = [];
    for (const format of formats) {
      const row = await measureExport(stage, key, format, rangeOf(stage, size));
      console.error(row);
      rows.push(row);
    }
    if (rows.length > 0) report('usage exports', rows);
  });
}

/**
 * Days, the last 35 in quarter hours too, and the snapshots of the days and months that have closed, but for yesterday
 * and the months of these two days, as after late signals; several batches at a time.
 */
export async function seed(
  stage: Pick<Stage, 'ctx'>,
  orgId: string,
  { users, days }: Size,
  withQuarters: boolean,
): Promise<number> {
  const today = Math.floor(stage.ctx.clock.now() / DAY_MS) * DAY_MS;
  const months = new Map<string, Rollup>();
  let count = 0;
  const insert = async (rows: Rollup[]) => {
    count += rows.length;
    await rollupRows(stage.ctx).insertMany(rows, { ordered: false });
    const [{ period, start } = { period: 'quarter_hour' as const, start: new Date(0) }] = rows;
    if (period === 'quarter_hour' || start.getTime() >= today - DAY_MS) return;
    const snapshot = snapshotOf(orgId, { period, fromMs: start.getTime() }, rows.map(cellOf), 1);
    await snapshotRows(stage.ctx).insertOne(snapshot);
  };
  let back = days;
  const insertDays = async () => {
    while (back >= 0) {
      const dayMs = today - back * DAY_MS;
      back -= 1;
      const rows = dayRows(orgId, dayMs, users);
      addToMonths(months, rows, dayMs);
      await insert(rows);
      if (!withQuarters || today - dayMs > 35 * DAY_MS) continue;
      for (const quarter of quarterStarts(dayMs).filter((at) => at <= stage.ctx.clock.now())) {
        await insert(rows.slice(0, users).map((row) => rowAt(row, 'quarter_hour', quarter, 3)));
      }
    }
  };
  await Promise.all([1, 2, 3].map(insertDays));
  for (const [fromMs, rows] of Map.groupBy([...months.values()], (row) => row.start.getTime())) {
    if (fromMs >= monthOf(today - DAY_MS)) continue;
    await snapshotRows(stage.ctx).insertOne(
      snapshotOf(orgId, { period: 'month', fromMs }, rows.map(cellOf), 1),
    );
  }
  return count;
}

function dayRows(orgId: string, dayMs: number, users: number): Rollup[] {
  return Array.from({ length: users * ROWS_PER_USER_DAY }, (_, index) => {
    const user = index % users;
    const of = {
      user_id: `user-${user}`,
      project_id: `project-${user % 25}`,
      model: index < users ? 'claude-sonnet-4-5' : 'gpt-5',
      adapter: index < users ? 'claude-code' : 'codex',
    };
    const empty = { _id: '', org_id: orgId, period: 'day' as const, start: new Date(dayMs), ...of };
    return rowAt({ ...empty, ...measures(0) }, 'day', dayMs, SIGNALS_PER_ROW);
  });
}

function rowAt(row: Rollup, period: RollupPeriod, startMs: number, signals: number): Rollup {
  const start = new Date(startMs);
  return { ...row, ...measures(signals), _id: rollupKey(row.org_id, period, startMs, row), period, start };
}

function measures(signals: number) {
  return {
    sessions: signals > 0 ? 1 : 0,
    signals,
    errors: 0,
    interventions: 0,
    tokens_in: signals * 8_512,
    tokens_out: signals * 300,
    cache_read_tokens: signals * 8_000,
    cache_write_tokens: signals * 500,
    cost_nusd: signals * 8_811_000,
    unpriced_signals: 0,
  };
}

function addToMonths(months: Map<string, Rollup>, rows: readonly Rollup[], dayMs: number): void {
  const monthMs = monthOf(dayMs);
  for (const row of rows) {
    const id = rollupKey(row.org_id, 'day', monthMs, row);
    const signals = (months.get(id)?.signals ?? 0) + SIGNALS_PER_ROW;
    months.set(id, rowAt(row, 'day', monthMs, signals));
  }
}

function monthOf(dayMs: number): number {
  const day = new Date(dayMs);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1);
}

function quarterStarts(dayMs: number): number[] {
  return Array.from({ length: QUARTERS_PER_USER_DAY }, (_, index) => dayMs + (36 + index * 3) * QUARTER_MS);
}

async function measureReads(
  url: string,
  key: string,
  orgId: string,
  { rounds }: Size,
  nowMs: number,
): Promise<Row[]> {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const iso = (ms: number) => new Date(ms).toISOString();
  const month = `from=${iso(today - 30 * DAY_MS)}&to=${iso(today)}`;
  const first = new Date(today);
  const thisMonth = Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), 1);
  const yearAgo = Date.UTC(first.getUTCFullYear() - 1, first.getUTCMonth(), 1);
  const year = `from=${iso(yearAgo)}&to=${iso(thisMonth)}`;
  const questions: Record<string, string> = {
    'month by day': `/api/v1/usage?${month}&interval=day`,
    'month by day and model': `/api/v1/usage?${month}&interval=day&group_by=model`,
    'year by month': `/api/v1/usage?${year}&interval=month`,
    'month by user': `/api/v1/usage?${month}&group_by=user_id`,
    'year by user': `/api/v1/usage?${year}&group_by=user_id`,
    'month by project': `/api/v1/usage?${month}&group_by=project_id`,
    'month by day, one user': `/api/v1/usage?${month}&interval=day&user_id=user-7`,
    'last 30 days to now': '/api/v1/usage',
    'last 30 days to now by user': '/api/v1/usage?group_by=user_id',
    'day by hour': `/api/v1/usage?from=${iso(today - DAY_MS)}&to=${iso(today)}&interval=hour`,
    'analytics by model, four weeks': `/api/v1/org/${orgId}/analytics?dimension=model`,
  };
  const figures: Row[] = [];
  for (const [name, path] of Object.entries(questions)) {
    figures.push({ question: name, ...(await timeReads(url + path, key, rounds)) });
  }
  return figures;
}

async function timeReads(url: string, key: string, rounds: number): Promise<Row> {
  const times: number[] = [];
  for (let asked = 0; asked < rounds; asked += 1) {
    const startedAt = performance.now();
    const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    times.push(performance.now() - startedAt);
  }
  return percentiles(times, 1);
}

/** All days that there are, as a query; and how many rows an export of them has. */
function rangeOf({ ctx }: Stage, { users, days }: Size): { query: string; rows: number } {
  const today = Math.floor(ctx.clock.now() / DAY_MS) * DAY_MS;
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    query: `from=${iso(today - days * DAY_MS)}&to=${iso(today)}`,
    rows: users * ROWS_PER_USER_DAY * days,
  };
}
