import { organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { sessionKey } from '../../shared/core/calls/sessions/assign.ts';
import { type Session, sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { systemClock } from '../../shared/platform/basics/clock.ts';
import { derivedId } from '../../shared/platform/basics/ids.ts';
import { askJson, numberOption, onStage, percentiles, type Row, report, round } from './bench.ts';
import { makeKey, type Stage } from './stage.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const FILTERS = {
  none: '',
  'dense (1 of 2)': '&adapter=codex',
  'sparse (1 of 1,000)': '&user_id=user-7',
  'two (1 of 4)': '&adapter=codex&model=gpt-5',
  'by cost': '&sort=cost_usd',
  'by cost, dense (1 of 2)': '&sort=cost_usd&adapter=codex',
};
const PAGES = [1, 10, 100];
/** The days over which the sessions are spread. */
export const LIST_DAYS = 300;
const USERS = 1_000;

/**
 * Milliseconds of the first, tenth and hundredth page of `GET /api/v1/sessions` at growing sizes of one organization.
 * `--max N` sessions at the most, `--walks N` walks a cell.
 */
export async function runListBench(args: string[]): Promise<void> {
  const most = numberOption(args, 'max', 1_000_000);
  const walks = numberOption(args, 'walks', 15);
  const rows: Row[] = [];
  await onStage(async (stage) => {
    const { url } = await stage.startApi();
    const { orgId: _id, key } = await makeKey(stage);
    const created_at = new Date(systemClock.now() - LIST_DAYS * 86_400_000);
    await organizationRows(stage.ctx).updateOne({ _id }, { $set: { created_at } });
    const organization = await readOrganization(stage.ctx, _id);
    let size = 0;
    for (const target of SIZES.filter((one) => one <= most)) {
      await seedSessions(stage, organization._id, size, target);
      // Rollups and snapshots of what was inserted.
      await reconcileUsage(stage.ctx, organization, { fromMs: 0, repair: true });
      size = target;
      for (const [filter, query] of Object.entries(FILTERS)) {
        const measured = await measureWalks(url, key, { size, filter, query, walks });
        console.error(measured);
        rows.push(...measured);
      }
    }
  });
  report('list', withGrowth(rows));
}

/** Sessions spread evenly over 300 days, in an order that is not that of insertion. */
export async function seedSessions(
  stage: Stage,
  orgId: string,
  from: number,
  to: number,
  make: typeof sessionAt = sessionAt,
): Promise<void> {
  const nowMs = systemClock.now();
  const began = performance.now();
  const sessions = sessionRows(stage.ctx);
  let start = from;
  const insert = async () => {
    while (start < to) {
      const first = start;
      start += 5_000;
      const count = Math.min(5_000, to - first);
      const rows = Array.from({ length: count }, (_, offset) => make(orgId, first + offset, nowMs));
      await sessions.insertMany(rows, { ordered: false });
    }
  };
  await Promise.all([insert(), insert(), insert()]);
  console.error(`${to - from} sessions in ${round((performance.now() - began) / 1_000, 0)} s`);
}

export function sessionAt(orgId: string, index: number, nowMs: number): Session {
  const spread = ((index * 2_654_435_761) % 4_294_967_296) / 4_294_967_296;
  const at = new Date(nowMs - Math.floor(spread * LIST_DAYS * 86_400_000));
  const user_id = `user-${index % USERS}`;
  const adapter = index % 2 ? 'codex' : 'claude-code';
  const model = index % 4 < 2 ? 'gpt-5' : 'gpt-4o-mini';
  // Each user works in both.
  const project_id = Math.floor(index / USERS) % 2 ? 'api' : 'web';
  // Most cost cents, and few hundreds of dollars.
  const cost_nusd = Math.floor(1e7 * Math.exp(12 * (((index * 40_503) % 1_000_003) / 1_000_003 - 0.5)));
  return {
    // As random as those of the service: the beginning of one names few others.
    _id: derivedId('ses', orgId, index),
    org_id: orgId,
    user_id,
    project_id,
    adapter,
    key: sessionKey(orgId, user_id, project_id, adapter),
    state: 'ended',
    end_reason: 'timeout',
    started_at: at,
    last_activity_at: at,
    ended_at: at,
    model,
    model_tokens: [{ model, tokens: 100, first_at: at }],
    tokens_in: 100,
    tokens_out: 10,
    cost_nusd,
    unpriced_signals: 0,
    signal_count: 3,
    error_count: 0,
    intervention_count: 0,
  };
}

/**
 * The first, tenth and hundredth page of 20. Between them the walk takes pages of 20 up to the tenth, then of 100, whose
 * cursors are as good: the hundredth page begins after 1,980 sessions.
 */
async function measureWalks(
  url: string,
  key: string,
  cell: { size: number; filter: string; query: string; walks: number },
): Promise<Row[]> {
  const times = new Map<number, number[]>();
  for (let walk = 0; walk < cell.walks; walk += 1) {
    let seen = 0;
    let cursor = '';
    while (seen < 2_000) {
      const limit = LIMIT_AT.find(([from]) => seen >= from)?.[1] ?? 20;
      const began = performance.now();
      const page = await askJson(`${url}/api/v1/sessions?limit=${limit}${cell.query}${cursor}`, key);
      const number = seen / 20 + 1;
      if (limit === 20 && PAGES.includes(number))
        times.set(number, [...(times.get(number) ?? []), performance.now() - began]);
      if (!page.has_more) break;
      seen += limit;
      cursor = `&cursor=${encodeURIComponent(page.cursor)}`;
    }
  }
  const { size, filter } = cell;
  return [...times].map(([page, taken]) => ({ size, filter, page, ...percentiles(taken) }));
}

/** How many sessions the next page takes after so many: 20, then 100 at a time, then 20 again. */
const LIMIT_AT: readonly (readonly [number, number])[] = [
  [1_900, 20],
  [200, 100],
  [0, 20],
];

/** p50 against the smallest size at which there is such a page. */
function withGrowth(rows: Row[]): Row[] {
  return rows.map((row) => {
    const smallest = rows.find((other) => other.filter === row.filter && other.page === row.page);
    return { ...row, growth: round(Number(row.p50_ms) / Number(smallest?.p50_ms)) };
  });
}
