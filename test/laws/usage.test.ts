import { beforeAll, expect, it } from 'vitest';
import type { Organization } from '../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { type Session, sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { type Signal, signalRows } from '../../shared/core/calls/signals/model.ts';
import { bucketEdges, INTERVALS, zonesOf } from '../../shared/core/calls/usage/calendar.ts';
import { countSessions } from '../../shared/core/calls/usage/count-sessions.ts';
import { makeSnapshots } from '../../shared/core/calls/usage/make-snapshots.ts';
import { DIMENSIONS } from '../../shared/core/calls/usage/model.ts';
import { readGroupSeries } from '../../shared/core/calls/usage/read-group-series.ts';
import { readUsage } from '../../shared/core/calls/usage/read-usage.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { makeTenant } from '../support/factories.ts';
import { storesFixture } from '../support/fixture.ts';
import { pick, seeded } from '../support/random.ts';
import { recordAll } from '../support/usage.ts';

const DAY = 86_400_000;
const QUARTER = 900_000;
const NOW = Date.parse('2026-04-10T12:07:00Z');
const SEED = 20_261_123;
const random = seeded(SEED);
const { ctx, clock } = await storesFixture({ clock: NOW - 40 * DAY });
let organization: Organization;

beforeAll(async () => {
  const { orgId } = await makeTenant(ctx, { timezone: 'America/New_York' });
  clock.set(NOW - 25 * DAY);
  await changeOrganization(ctx, orgId, { timezone: 'Asia/Kathmandu' });
  clock.set(NOW - 12 * DAY);
  await changeOrganization(ctx, orgId, { timezone: 'Australia/Lord_Howe' });
  clock.set(NOW);
  await recordAll(ctx, orgId, Array.from({ length: 600 }, madeUp));
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

/** The signals and sessions, counted one by one. */
interface Facts {
  signals: readonly Signal[];
  sessions: readonly Session[];
}

function within({ signals, sessions }: Facts, fromMs: number, toMs: number): Facts {
  const isIn = (time: Date) => time.getTime() >= fromMs && time.getTime() < toMs;
  return {
    signals: signals.filter(({ ts }) => isIn(ts)),
    sessions: sessions.filter(({ started_at }) => isIn(started_at)),
  };
}

function matching({ signals, sessions }: Facts, match: Record<string, unknown>): Facts {
  const isLike = (row: object) =>
    Object.entries(match).every(([name, value]) => Reflect.get(row, name) === value);
  return { signals: signals.filter(isLike), sessions: sessions.filter(isLike) };
}

function counted({ signals, sessions }: Facts) {
  const tokens_in = signals.reduce((sum, signal) => sum + signal.tokens_in, 0);
  return { signals: signals.length, sessions: sessions.length, tokens_in };
}

it('every question has the answer that its signals and sessions give when they are counted one by one', async () => {
  for (let round = 0; round < 120; round += 1) {
    if (random() < 0.1) await makeSnapshots(ctx, organization, { fromMs: 0, toMs: NOW });
    if (random() < 0.2) await recordAll(ctx, organization._id, [madeUp()]);
    const asked = question();
    const { fromMs, toMs, filter, groupBy, timezone, interval } = asked;
    const where = `seed ${SEED}, round ${round}: ${JSON.stringify(asked)}`;
    const all: Facts = {
      signals: await signalRows(ctx).find({ org_id: organization._id }).toArray(),
      sessions: await sessionRows(ctx).find({ org_id: organization._id }).toArray(),
    };
    const facts = matching(within(all, fromMs, toMs), filter);
    const edges = bucketEdges(zonesOf(organization, timezone, NOW), interval, fromMs, toMs);
    const expectSeries = (series: readonly object[], of: Facts) =>
      series.forEach((bucket, at) => {
        const own = counted(within(of, edges[at] ?? 0, edges[at + 1] ?? 0));
        expect(bucket, `${where}, bucket ${at}`).toMatchObject(own);
      });

    const usage = await readUsage(ctx, organization, asked);
    expect(usage.totals, where).toMatchObject(counted(facts));
    expectSeries(usage.series, facts);
    for (const { key, ...sums } of usage.groups)
      expect(sums, where).toMatchObject(counted(matching(facts, key)));
    if (groupBy.length > 0) {
      const rows = [...facts.signals, ...facts.sessions];
      const keys = new Set(rows.map((row) => groupBy.map((name) => row[name]).join()));
      expect(usage.groups, where).toHaveLength(keys.size);
    }
    if (groupBy.length > 0 && interval !== 'none') {
      const answer = await readGroupSeries(ctx, organization, asked, 10);
      expect(answer.totals, where).toMatchObject(counted(facts));
      expectSeries(answer.series, facts);
      for (const { key, series } of answer.groups) expectSeries(series, matching(facts, key ?? {}));
    }
    const range = { ...filter, fromMs, toMs };
    expect(await countSessions(ctx, organization, range), where).toBe(facts.sessions.length);
  }
});
