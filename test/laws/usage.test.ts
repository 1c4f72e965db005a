import { beforeAll, expect, it } from 'vitest';
import type { Organization } from '../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { bucketEdges, INTERVALS, zonesOf } from '../../shared/core/calls/usage/calendar.ts';
import { countSessions } from '../../shared/core/calls/usage/count-sessions.ts';
import { makeSnapshots } from '../../shared/core/calls/usage/make-snapshots.ts';
import { DIMENSIONS } from '../../shared/core/calls/usage/model.ts';
import { readGroupSeries } from '../../shared/core/calls/usage/read-group-series.ts';
import { readUsage } from '../../shared/core/calls/usage/read-usage.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { storesFixture } from '../support/fixture.ts';
import { pick, seeded } from '../support/random.ts';
import { type Fact, factsOf, grouped, NO_WORK, readFacts, sumOf } from '../support/usage-oracle.ts';

const DAY = 86_400_000;
const QUARTER = 900_000;
const NOW = Date.parse('2026-04-10T12:07:00Z');
const SEED = 20_261_123;
const random = seeded(SEED);
const { ctx, clock, orgId, record } = await storesFixture({
  clock: NOW - 40 * DAY,
  tenant: { timezone: 'America/New_York' },
});
let organization: Organization;

beforeAll(async () => {
  for (const [days, timezone] of [
    [25, 'Asia/Kathmandu'],
    [12, 'Australia/Lord_Howe'],
  ] as const) {
    clock.set(NOW - days * DAY);
    await changeOrganization(ctx, orgId, { timezone });
  }
  clock.set(NOW);
  await record(...Array.from({ length: 600 }, madeUp));
  organization = await readOrganization(ctx, orgId);
});

function madeUp() {
  return {
    ts: Math.floor(NOW - random() * 34.9 * DAY),
    user_id: pick(random, ['ada', 'bob', 'cyd']),
    project_id: pick(random, ['alpha', 'beta']),
    model: pick(random, ['gpt-5', 'gpt-4o-mini', 'unheard-of']),
    adapter: pick(random, ['codex', 'claude-code']),
    tokens_in: Math.floor(random() * 10_000),
  };
}

function question() {
  const fromMs = Math.floor((NOW - random() * 34.8 * DAY) / QUARTER) * QUARTER;
  const longest = pick(random, [0.3, 1, 2, 10, 35]) * DAY;
  const toMs = Math.min(
    fromMs + Math.ceil((random() * longest) / QUARTER + 0.1) * QUARTER,
    Math.ceil(NOW / QUARTER) * QUARTER,
  );
  const like = madeUp();
  const filter = Object.fromEntries(
    DIMENSIONS.filter(() => random() < 0.2).map((name) => [name, like[name]]),
  );
  const groupBy = DIMENSIONS.filter(() => random() < 0.3).slice(0, 2);
  const timezone = pick(random, [undefined, undefined, 'UTC', 'Europe/Berlin', 'Asia/Kathmandu']);
  return { fromMs, toMs, filter, groupBy, timezone, interval: pick(random, INTERVALS) };
}

function counted(rows: readonly Fact[]) {
  const { signals, sessions, tokens_in } = sumOf(rows);
  return { signals, sessions, tokens_in };
}

it('every question has the answer that its signals and sessions give when they are counted one by one', async () => {
  for (let round = 0; round < 120; round += 1) {
    if (random() < 0.1) await makeSnapshots(ctx, organization, { fromMs: 0, toMs: NOW });
    if (random() < 0.2) await record(madeUp());
    const asked = question();
    const { fromMs, toMs, filter, groupBy, timezone, interval } = asked;
    const where = `seed ${SEED}, round ${round}: ${JSON.stringify(asked)}`;
    const facts = await readFacts(ctx, orgId, { workOf: () => NO_WORK, teams: new Map() });
    const rows = factsOf(facts, filter, [fromMs, toMs]);
    const groups = grouped(facts, rows, groupBy);
    const edges = bucketEdges(zonesOf(organization, timezone, NOW), interval, fromMs, toMs);
    const expectSeries = (series: readonly object[], of: readonly Fact[]) =>
      series.forEach((bucket, turn) => {
        const own = of.filter(({ at }) => at >= (edges[turn] ?? 0) && at < (edges[turn + 1] ?? 0));
        expect(bucket, `${where}, bucket ${turn}`).toMatchObject(counted(own));
      });

    const usage = await readUsage(ctx, organization, asked);
    expect(usage.totals, where).toMatchObject(counted(rows));
    expectSeries(usage.series, rows);
    for (const { key, ...sums } of usage.groups)
      expect(sums, where).toMatchObject(counted(groups.get(JSON.stringify(key)) ?? []));
    if (groupBy.length > 0) expect(usage.groups, where).toHaveLength(groups.size);
    if (groupBy.length > 0 && interval !== 'none') {
      const answer = await readGroupSeries(ctx, organization, asked, 10);
      expect(answer.totals, where).toMatchObject(counted(rows));
      expectSeries(answer.series, rows);
      const isOf = (row: Fact, key: object) =>
        Object.entries(key).every(([name, value]) => Reflect.get(row, name) === value);
      for (const { key, series } of answer.groups)
        expectSeries(
          series,
          rows.filter((row) => isOf(row, key ?? {})),
        );
    }
    const sessions = rows.reduce((sum, row) => sum + row.sums.sessions, 0);
    expect(await countSessions(ctx, organization, { ...filter, fromMs, toMs }), where).toBe(sessions);
  }
});
