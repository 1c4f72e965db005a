import { describe, expect, it } from 'vitest';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { fixture } from '../support/fixture.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const fx = await fixture({ clock: NOW, perTest: true });
const { clock } = fx;

type Sums = Record<string, number>;

const pathOf = (query: Record<string, string>) => `/api/v1/usage?${new URLSearchParams(query).toString()}`;
const ask = (query: Record<string, string>) => fx.ask(pathOf(query));
/** Gives the test an organization of this timezone. */
const settle = async (timezone: string) => Object.assign(fx, await fx.tenant({ timezone }));

describe('GET /api/v1/usage', () => {
  it('answers totals of the last 30 days, rounded up to 15 minutes, with money to 4 decimals', async () => {
    await fx.record(
      { ts: NOW - HOUR, cost_usd: 0.12345 },
      { ts: NOW - HOUR + 1_000, cost_usd: 1, tokens_in: 5, error: { code: 'rate_limit' } },
      { ts: NOW - 31 * DAY, cost_usd: 7 },
      { ts: NOW, model: 'nobody-knows-this-model', provider: undefined },
    );
    const tokens = { tokens_in: 205, tokens_out: 30, cache_read_tokens: 0, cache_write_tokens: 0 };
    const counts = { sessions: 2, signals: 3, errors: 1, interventions: 0, unpriced_signals: 1 };
    expect(await ask({})).toEqual({
      from: '2026-03-11T12:15:00.000Z',
      to: '2026-04-10T12:15:00.000Z',
      interval: 'none',
      timezone: 'UTC',
      totals: { ...counts, ...tokens, cost_usd: 1.1234 },
      series: [],
      groups: [],
    });
  });

  it('rounds from down and to up to 15 minutes and says so', async () => {
    const usage = await ask({ from: '2026-04-01T10:14:59Z', to: '2026-04-01T10:15:01+00:00' });
    expect([usage.from, usage.to]).toEqual(['2026-04-01T10:00:00.000Z', '2026-04-01T10:30:00.000Z']);
  });

  it('puts signals into local days of 23 and 25 hours', async () => {
    await settle('Europe/Berlin');
    // Berlin leaves winter time on 29 March 2026 at 01:00 UTC.
    const sunday = Date.parse('2026-03-28T23:00:00Z');
    const moments = [-1, 0, 22 * HOUR + 3_599_999, 23 * HOUR];
    await fx.record(...moments.map((ms) => ({ ts: sunday + ms, user_id: `u${ms}` })));
    const usage = await ask({ from: '2026-03-28', to: '2026-03-31', interval: 'day' });
    expect(usage.series.map((row: Sums) => [row.start, row.signals])).toEqual([
      ['2026-03-27T23:00:00.000Z', 1],
      ['2026-03-28T23:00:00.000Z', 2],
      ['2026-03-29T22:00:00.000Z', 1],
    ]);
  });

  it('is exact by whole days of the organization for ever, and refuses what it cannot answer exactly', async () => {
    await settle('Europe/Berlin');
    const old = Date.parse('2026-01-15T11:00:00Z');
    clock.set(old + HOUR);
    await fx.record({ ts: old }, { ts: old - 20 * DAY });
    clock.set(NOW);
    expect((await ask({ from: '2025-12-01', to: '2026-02-01', interval: 'week' })).totals.signals).toBe(2);
    const january = { from: '2026-01-01', to: '2026-02-01' };
    for (const query of [
      { ...january, interval: 'hour' },
      { ...january, timezone: 'America/New_York', interval: 'day' },
      { ...january, from: '2026-01-01T00:30:00Z' },
    ])
      expect((await fx.send(pathOf(query))).body, JSON.stringify(query)).toMatchObject({
        code: 'invalid_request',
        detail: expect.stringMatching(/35 days.*Europe\/Berlin/),
        exact_from: '2026-03-06T12:00:00.000Z',
      });
    expect((await ask({ ...january, timezone: 'europe/berlin' })).timezone).toBe('Europe/Berlin');
    expect((await ask({ ...january, timezone: 'Europe/Paris' })).totals.signals).toBe(1);
  });

  it.each(['usage', 'org/{orgId}/usage', 'usage/changes'])(
    'takes a date in %s as its midnight in the timezone that is named, else in that of the organization',
    async (path) => {
      await settle('America/New_York');
      const asked = `/api/v1/${path.replace('{orgId}', fx.orgId)}?from=2026-04-01&to=2026-04-08`;
      for (const [named, hour] of [
        ['', '2026-04-01T04:00:00.000Z 2026-04-08T04:00:00.000Z'],
        ['&timezone=America/New_York', '2026-04-01T04:00:00.000Z 2026-04-08T04:00:00.000Z'],
        ['&timezone=UTC', '2026-04-01T00:00:00.000Z 2026-04-08T00:00:00.000Z'],
        ['&timezone=Asia/Tokyo', '2026-03-31T15:00:00.000Z 2026-04-07T15:00:00.000Z'],
      ] as const) {
        const { from, to } = await fx.ask(asked + named);
        expect(`${from} ${to}`, named).toBe(hour);
      }
    },
  );

  it('keeps the days that were, when the organization changes its timezone', async () => {
    await settle('America/New_York');
    const change = Date.parse('2026-02-02T05:00:00Z');
    clock.set(change - 80 * 60_000);
    await fx.record({ ts: change - 90 * 60_000 });
    await changeOrganization(fx.ctx, fx.orgId, { timezone: 'Asia/Tokyo' });
    clock.set(change + 30 * HOUR);
    await fx.record({ ts: change + HOUR }, { ts: change + 20 * HOUR, user_id: 'bob' });
    clock.set(NOW);
    // A date begins where the day of that time began.
    const usage = await ask({ from: '2026-02-01', to: '2026-02-04', interval: 'day' });
    expect([usage.timezone, usage.from, usage.to]).toEqual([
      'Asia/Tokyo',
      '2026-02-01T05:00:00.000Z',
      '2026-02-03T15:00:00.000Z',
    ]);
    expect(usage.series.map((row: Sums) => [row.start, row.signals])).toEqual([
      ['2026-02-01T05:00:00.000Z', 1],
      ['2026-02-02T05:00:00.000Z', 1],
      ['2026-02-02T15:00:00.000Z', 1],
    ]);
    for (const interval of ['none', 'month'])
      expect((await ask({ from: '2026-02-01', to: '2026-02-04', interval })).totals.signals).toBe(3);
  });

  it('sums money beyond 2^53 nano-USD exactly', async () => {
    await changeOrganization(fx.ctx, fx.orgId, { hold_above: { cost_usd: null } });
    const call = { ts: NOW - HOUR, cost_usd: 9_999.0001 };
    await fx.record(...Array.from({ length: 1_200 }, (_, at) => ({ ...call, user_id: `u${at % 12}` })));
    const { totals, groups } = await ask({ group_by: 'user_id', interval: 'day' });
    expect(totals.cost_usd).toBe(11_998_800.12);
    expect(groups.reduce((sum: number, { signals }: Sums) => sum + (signals ?? 0), 0)).toBe(1_200);
  });

  it.each([
    ['a grouping twice', 'group_by=model,model'],
    ['team, which is the organization route’s', 'group_by=team'],
    ['an unknown timezone', 'timezone=Mars/Olympus'],
    ['an offset for a timezone', 'timezone=%2B02:00'],
    ['a day that does not exist', 'from=2026-02-30'],
    ['an empty range', 'from=2026-04-02&to=2026-04-02'],
    ['a backward range', 'from=2026-04-03&to=2026-04-02'],
    ['more than ten years', 'from=2006-04-03&to=2026-04-02'],
    ['too many buckets', 'from=2026-04-01&to=2027-04-02&interval=hour'],
    ['a series of no groups', 'interval=day&series=groups'],
    ['a series of no intervals', 'series=groups&group_by=model'],
    ['each of no groups', 'interval=day&series=each'],
    ['each of no intervals', 'series=each&group_by=model'],
    ['a top of more than 20', 'interval=day&series=groups&group_by=model&top=21'],
    ['a top without a series', 'interval=day&group_by=model&top=5'],
  ])('refuses %s with 400', async (_, query) => {
    const { status, body } = await fx.send(`/api/v1/usage?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });

  it.each([
    ['group_by=colour', /one to 2, with series=each any number, of .*user_id, .*model.*, each once/],
    ['group_by=user_id,model,adapter', /has 3 names \(user_id, model, adapter\) and may have 2;/],
    ['group_by=user_id,model&series=groups', /may have 1 with series=groups; with series=each any number/],
  ])('refuses %s, and says which groupings there are or how many may be asked for', async (query, detail) => {
    const { status, text } = await fx.send(`/api/v1/usage?interval=day&${query}`);
    expect([status, text]).toEqual([400, expect.stringMatching(detail)]);
  });

  it('gives the most expensive groups a series each, and all others one together', async () => {
    await fx.record(
      { ts: NOW, user_id: 'ada', project_id: 'a', cost_usd: 5 },
      { ts: NOW - DAY, user_id: 'ada', project_id: 'b', cost_usd: 3 },
      { ts: NOW - DAY, user_id: 'bob', project_id: 'c', cost_usd: 2 },
      { ts: NOW - DAY, user_id: 'cyd', project_id: 'd', cost_usd: 1 },
    );
    const range = { from: '2026-04-09', to: '2026-04-11', interval: 'day' };
    const usage = await ask({ ...range, series: 'groups', group_by: 'project_id', top: '2' });
    const shown = ({ key, cost_usd, series }: { key: object; cost_usd: number; series: Sums[] }) => [
      key,
      cost_usd,
      series.map((day) => day.cost_usd),
    ];
    expect(usage.groups.map(shown)).toEqual([
      [{ project_id: 'a' }, 5, [0, 5]],
      [{ project_id: 'b' }, 3, [3, 0]],
      [null, 3, [3, 0]],
    ]);
    expect(usage.totals).toMatchObject({ cost_usd: 11, active_users: 3 });
  });
});
