import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApi } from '../../api/app.ts';
import { closeServer, createHttpServer } from '../../api/server.ts';
import { readConfig } from '../../shared/config.ts';
import { type Context, openContext } from '../../shared/context.ts';
import { createApiKey } from '../../shared/keys/api-keys.ts';
import { createLog } from '../../shared/log.ts';
import { createIndexes, raw } from '../../shared/mongo.ts';
import { createOrganization } from '../../shared/organizations/create-organization.ts';
import { rollupKey } from '../../shared/usage/add-to-rollups.ts';
import type { Rollup, RollupPeriod } from '../../shared/usage/model.ts';
import { findFreePort } from '../stack/ports.ts';
import { startMongo, startRedis } from '../stores.ts';

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
const ROWS_PER_USER_DAY = 2;
const SIGNALS_PER_ROW = 14;
/** Quarter hours in which a user works a day, of the last 35 days. */
const QUARTERS_PER_USER_DAY = 8;

interface Size {
  users: number;
  days: number;
  rounds: number;
}

/** Reads of a year of rollups, and exports of all days that there are. `--quick` for a tenth of the users. */
export async function runUsageBench(args: string[]): Promise<void> {
  const quick = args.includes('--quick');
  const size: Size = quick ? { users: 100, days: 500, rounds: 10 } : { users: 1_000, days: 500, rounds: 12 };
  const folder = mkdtempSync(join(tmpdir(), 'usage-bench-'));
  const mongo = await startMongo({ port: await findFreePort(), dir: join(folder, 'mongo') });
  const redis = await startRedis({ port: await findFreePort(), dir: join(folder, 'redis') });
  const ctx = await openBenchContext(mongo.url, redis.url);
  try {
    const { _id: orgId } = await createOrganization(ctx, { name: 'Bench', plan: 'enterprise' });
    const { key } = await createApiKey(ctx, { org_id: orgId, scopes: ['usage:read', 'org:read'] });
    const rows = await seed(ctx, orgId, size);
    const figures = await withApi(ctx, (url) => measure(url, key, orgId, size, ctx.clock.now()));
    console.table(figures);
    console.log(JSON.stringify({ bench: 'usage', ...size, rollups: rows, figures }));
  } finally {
    await ctx.close();
    await Promise.all([mongo.stop(), redis.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openBenchContext(mongoUrl: string, redisUrl: string): Promise<Context> {
  const secret = () => randomBytes(32).toString('hex');
  const config = readConfig({
    NODE_ENV: 'development',
    MONGODB_URL: mongoUrl,
    REDIS_URL: redisUrl,
    OPERATOR_TOKEN: secret(),
    API_KEY_PEPPER: secret(),
    CURSOR_SECRET: secret(),
    RATE_LIMITS: 'off',
    WEBHOOK_SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  });
  const ctx = await openContext(config, {
    process: 'api',
    log: createLog({ level: 'error', process: 'bench' }),
  });
  await createIndexes(ctx.db);
  return ctx;
}

async function seed(ctx: Context, orgId: string, { users, days }: Size): Promise<number> {
  const today = Math.floor(ctx.clock.now() / DAY_MS) * DAY_MS;
  const months = new Map<string, Rollup>();
  let count = 0;
  const insert = async (rows: Rollup[]) => {
    count += rows.length;
    await raw(ctx.db.rollups).insertMany(rows, { ordered: false });
  };
  for (let back = days; back >= 0; back -= 1) {
    const dayMs = today - back * DAY_MS;
    const rows = dayRows(orgId, dayMs, users);
    await insert(rows);
    addToMonths(months, rows, dayMs);
    if (back <= 35) {
      for (const quarter of quarterStarts(dayMs)) {
        await insert(rows.slice(0, users).map((row) => rowAt(row, 'quarter_hour', quarter, 3)));
      }
    }
  }
  for (const rows of Map.groupBy([...months.values()], (row) => row.start.getTime()).values())
    await insert(rows);
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
  const day = new Date(dayMs);
  const monthMs = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1);
  for (const row of rows) {
    const id = rollupKey(row.org_id, 'month', monthMs, row);
    const signals = (months.get(id)?.signals ?? 0) + SIGNALS_PER_ROW;
    months.set(id, rowAt(row, 'month', monthMs, signals));
  }
}

function quarterStarts(dayMs: number): number[] {
  return Array.from({ length: QUARTERS_PER_USER_DAY }, (_, index) => dayMs + (36 + index * 3) * QUARTER_MS);
}

async function withApi<T>(ctx: Context, work: (url: string) => Promise<T>): Promise<T> {
  const { app, shedder } = createApi(ctx, { stopping: false });
  const server = createHttpServer(app, ctx.config);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    await closeServer(server);
    shedder.stop();
  }
}

type Figures = Record<string, Record<string, number>>;

async function measure(url: string, key: string, orgId: string, size: Size, nowMs: number): Promise<Figures> {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const iso = (ms: number) => new Date(ms).toISOString();
  const monthAgo = `from=${iso(today - 30 * DAY_MS)}&to=${iso(today)}`;
  const first = new Date(today);
  const thisMonth = Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), 1);
  const yearAgo = Date.UTC(first.getUTCFullYear() - 1, first.getUTCMonth(), 1);
  const year = `from=${iso(yearAgo)}&to=${iso(thisMonth)}`;
  const questions: Record<string, string> = {
    'month by day': `/api/v1/usage?${monthAgo}&interval=day`,
    'month by user': `/api/v1/usage?${monthAgo}&group_by=user_id`,
    'month by day, one user': `/api/v1/usage?${monthAgo}&interval=day&user_id=user-7`,
    'year by month': `/api/v1/usage?${year}&interval=month`,
    'year by user': `/api/v1/usage?${year}&group_by=user_id`,
    'last 30 days to now': '/api/v1/usage',
    'day by hour': `/api/v1/usage?from=${iso(today - DAY_MS)}&to=${iso(today)}&interval=hour`,
    'analytics by model': `/api/v1/org/${orgId}/analytics?dimension=model`,
  };
  const figures: Figures = {};
  for (const [name, path] of Object.entries(questions)) {
    figures[name] = await timeReads(url + path, key, size.rounds);
  }
  const all = `from=${iso(today - size.days * DAY_MS)}&to=${iso(today)}`;
  for (const format of ['csv', 'ndjson', 'parquet']) {
    const path = `/api/v1/usage/export?${all}&level=daily&format=${format}`;
    figures[`export ${format}`] = await timeExport(url + path, key, size);
  }
  return figures;
}

async function timeReads(url: string, key: string, rounds: number): Promise<Record<string, number>> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
  return { p50_ms: at(0.5), p99_ms: at(0.99) };
}

/** Downloads and forgets; the client shares this process, so the growth is an upper bound of the server's. */
async function timeExport(url: string, key: string, { users, days }: Size): Promise<Record<string, number>> {
  const before = process.memoryUsage.rss();
  let [peak, bytes] = [before, 0];
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  const startedAt = performance.now();
  await new Promise<void>((resolve, reject) => {
    get(url, { headers: { Authorization: `Bearer ${key}` } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', resolve);
      response.on('error', reject);
    }).on('error', reject);
  });
  clearInterval(sampling);
  const seconds = (performance.now() - startedAt) / 1_000;
  const rows = users * ROWS_PER_USER_DAY * days;
  return {
    rows,
    rows_per_s: Math.round(rows / seconds),
    megabytes: Math.round(bytes / 1e6),
    rss_growth_mb: Math.round((peak - before) / 1e6),
  };
}
