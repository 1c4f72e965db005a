import { describe, expect, it } from 'vitest';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { addMember } from '../../shared/people/members.ts';
import { makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { recordAll } from '../support/usage.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const { api, clock } = await fixture({ clock: NOW });

type Sums = Record<string, number>;

function sum(rows: Sums[], measure: string): number {
  return rows.reduce((total, row) => total + (row[measure] ?? 0), 0);
}

async function ask(key: string, query: Record<string, string>, path = '/api/v1/usage') {
  const answer = await api.call(`${path}?${new URLSearchParams(query).toString()}`, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

describe('GET /api/v1/usage', () => {
  it('answers totals of the last 30 days, rounded up to 15 minutes, with money to 4 decimals', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    await recordAll(api.ctx, orgId, [
      { ts: NOW - HOUR, cost_usd: 0.12345 },
      { ts: NOW - HOUR + 1_000, cost_usd: 1, tokens_in: 5, error: { code: 'rate_limit' } },
      { ts: NOW - 31 * DAY, cost_usd: 7 },
      { ts: NOW, model: 'nobody-knows-this-model', provider: undefined },
    ]);
    const usage = await ask(key, {});
    expect(usage).toEqual({
      from: '2026-03-11T12:15:00.000Z',
      to: '2026-04-10T12:15:00.000Z',
      interval: 'none',
      timezone: 'UTC',
      totals: {
        sessions: 2,
        signals: 3,
        errors: 1,
        interventions: 0,
        tokens_in: 205,
        tokens_out: 30,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
        cost_usd: 1.1234,
        unpriced_signals: 1,
      },
      series: [],
      groups: [],
    });
  });

  it('rounds from down and to up to 15 minutes and says so', async () => {
    const { key } = await makeTenant(api.ctx);
    const usage = await ask(key, { from: '2026-04-01T10:14:59Z', to: '2026-04-01T10:15:01+00:00' });
    expect([usage.from, usage.to]).toEqual(['2026-04-01T10:00:00.000Z', '2026-04-01T10:30:00.000Z']);
  });

  it('puts signals into local days of 23 and 25 hours', async () => {
    const { orgId, key } = await makeTenant(api.ctx, { timezone: 'Europe/Berlin' });
    // Berlin leaves winter time on 29 March 2026 at 01:00 UTC.
    const sunday = Date.parse('2026-03-28T23:00:00Z');
    await recordAll(
      api.ctx,
      orgId,
      [-1, 0, 22 * HOUR + 3_599_999, 23 * HOUR].map((ms) => ({ ts: sunday + ms, user_id: `u${ms}` })),
    );
    const usage = await ask(key, { from: '2026-03-28', to: '2026-03-31', interval: 'day' });
    expect(usage.series.map((row: Sums) => [row.start, row.signals])).toEqual([
      ['2026-03-27T23:00:00.000Z', 1],
      ['2026-03-28T23:00:00.000Z', 2],
      ['2026-03-29T22:00:00.000Z', 1],
    ]);
  });

  it('shows a late signal in the hour in which it happened, and moves a session with its start', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    const query = { from: '2026-04-09T00:00:00Z', to: '2026-04-10T00:00:00Z', interval: 'hour' };
    const ten = Date.parse('2026-04-09T10:05:00Z');
    await recordAll(api.ctx, orgId, [{ ts: ten }]);
    await recordAll(api.ctx, orgId, [{ ts: ten - 20 * 60_000, model: 'gpt-5', tokens_in: 5_000 }]);
    const usage = await ask(key, { ...query, group_by: 'model' });
    expect(usage.series[9]).toMatchObject({ start: '2026-04-09T09:00:00.000Z', signals: 1, sessions: 1 });
    expect(usage.series[10]).toMatchObject({ signals: 1, sessions: 0 });
    expect(usage.groups).toMatchObject([
      { key: { model: 'gpt-4o-mini' }, signals: 1, sessions: 0 },
      { key: { model: 'gpt-5' }, signals: 1, sessions: 1 },
    ]);
  });

  it('is exact by whole days of the organization for ever, and refuses what it cannot answer exactly', async () => {
    const { orgId, key } = await makeTenant(api.ctx, { timezone: 'Europe/Berlin' });
    const old = Date.parse('2026-01-15T11:00:00Z');
    clock.set(old + HOUR);
    await recordAll(api.ctx, orgId, [{ ts: old }, { ts: old - 20 * DAY }]);
    clock.set(NOW);
    for (const interval of ['none', 'day', 'week', 'month']) {
      const usage = await ask(key, { from: '2025-12-01', to: '2026-02-01', interval });
      expect(usage.totals.signals, interval).toBe(2);
    }
    const refused: Record<string, string>[] = [
      { from: '2026-01-01', to: '2026-02-01', interval: 'hour' },
      { from: '2026-01-01', to: '2026-02-01', timezone: 'America/New_York', interval: 'day' },
      { from: '2026-01-01T00:30:00Z', to: '2026-02-01' },
    ];
    for (const query of refused) {
      const answer = await api.call(`/api/v1/usage?${new URLSearchParams(query).toString()}`, { key });
      expect(answer.status, JSON.stringify(query)).toBe(400);
      expect(answer.body.code).toBe('invalid_request');
      expect(answer.body.detail).toMatch(/35 days.*Europe\/Berlin/);
      expect(answer.body.exact_from).toBe('2026-03-06T12:00:00.000Z');
    }
    const own = await ask(key, { from: '2026-01-01', to: '2026-02-01', timezone: 'europe/berlin' });
    expect(own.timezone).toBe('Europe/Berlin');
    const other = await ask(key, { from: '2026-01-01', to: '2026-02-01', timezone: 'Europe/Paris' });
    expect(other.totals.signals).toBe(1);
  });

  it('keeps the days that were, when the organization changes its timezone', async () => {
    const { orgId, key } = await makeTenant(api.ctx, { timezone: 'America/New_York' });
    const before = Date.parse('2026-02-02T03:30:00Z');
    clock.set(before + 60_000);
    await recordAll(api.ctx, orgId, [{ ts: before }]);
    await changeOrganization(api.ctx, orgId, { timezone: 'Asia/Tokyo' });
    clock.set(NOW);
    const change = Date.parse('2026-02-02T05:00:00Z');
    clock.set(change + 30 * HOUR);
    await recordAll(api.ctx, orgId, [{ ts: change + HOUR }, { ts: change + 20 * HOUR, user_id: 'bob' }]);
    clock.set(NOW);
    const usage = await ask(key, {
      from: '2026-02-01T05:00:00Z',
      to: '2026-02-03T15:00:00Z',
      interval: 'day',
    });
    expect(usage.timezone).toBe('Asia/Tokyo');
    expect(usage.series.map((row: Sums) => [row.start, row.signals])).toEqual([
      ['2026-02-01T05:00:00.000Z', 1],
      ['2026-02-02T05:00:00.000Z', 1],
      ['2026-02-02T15:00:00.000Z', 1],
    ]);
    for (const interval of ['none', 'day', 'month'])
      expect(
        await ask(key, { from: '2026-02-01', to: '2026-02-04', interval }),
        'a date begins where the day of that time began',
      ).toMatchObject({
        from: '2026-02-01T05:00:00.000Z',
        to: '2026-02-03T15:00:00.000Z',
        totals: { signals: 3 },
      });
    const months = await ask(key, {
      from: '2026-02-01T05:00:00Z',
      to: '2026-02-28T15:00:00Z',
      interval: 'month',
    });
    expect(months.series.map((row: Sums) => row.signals)).toEqual([3]);
  });

  it('sums money beyond 2^53 nano-USD exactly', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    await changeOrganization(api.ctx, orgId, { hold_above: { cost_usd: null } });
    await recordAll(
      api.ctx,
      orgId,
      Array.from({ length: 1_200 }, (_, index) => ({
        ts: NOW - HOUR,
        cost_usd: 9_999.0001,
        user_id: `u${index % 12}`,
      })),
    );
    const usage = await ask(key, { group_by: 'user_id', interval: 'day' });
    expect(usage.totals.cost_usd).toBe(11_998_800.12);
    expect(sum(usage.groups, 'signals')).toBe(1_200);
  });

  it.each([
    ['an unknown parameter', 'foo=1'],
    ['an operator instead of a value', 'user_id[$ne]=x'],
    ['an unknown grouping', 'group_by=email'],
    ['three groupings', 'group_by=model,adapter,user_id'],
    ['a grouping twice', 'group_by=model,model'],
    ['team, which is the organization route’s', 'group_by=team'],
    ['an unknown interval', 'interval=year'],
    ['an unknown timezone', 'timezone=Mars/Olympus'],
    ['an offset for a timezone', 'timezone=%2B02:00'],
    ['a bad time', 'from=yesterday'],
    ['a day that does not exist', 'from=2026-02-30'],
    ['an empty range', 'from=2026-04-02&to=2026-04-02'],
    ['a backward range', 'from=2026-04-03&to=2026-04-02'],
    ['more than ten years', 'from=2006-04-03&to=2026-04-02'],
    ['too many buckets', 'from=2026-04-01&to=2027-04-02&interval=hour'],
  ])('refuses %s with 400', async (_, query) => {
    const { key } = await makeTenant(api.ctx);
    const answer = await api.call(`/api/v1/usage?${query}`, { key });
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe('invalid_request');
  });
});

describe('GET /api/v1/org/{orgId}/usage', () => {
  it('sums by member, team and project; a team is its members now', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    for (const [user_id, teams] of Object.entries({ ada: ['red'], bob: ['red', 'blue'], cyd: [] })) {
      await addMember(api.ctx, { org_id: orgId, email: `${user_id}@x.test`, role: 'member', user_id, teams });
    }
    await recordAll(
      api.ctx,
      orgId,
      ['ada', 'bob', 'bob', 'cyd', 'guest'].map((user_id, index) => ({ ts: NOW - HOUR - index, user_id })),
    );
    const path = `/api/v1/org/${orgId}/usage`;
    const byTeam = await ask(key, { group_by: 'team', interval: 'day' }, path);
    expect(byTeam.totals.signals).toBe(5);
    expect(
      byTeam.groups.map((group: { key: unknown; signals: number }) => [group.key, group.signals]),
    ).toEqual([
      [{ team: 'blue' }, 2],
      [{ team: 'red' }, 3],
      [{ team: null }, 2],
    ]);
    expect((await ask(key, { team: 'blue' }, path)).totals.signals).toBe(2);
    expect((await ask(key, { team: 'red', user_id: 'ada' }, path)).totals.signals).toBe(1);
    expect((await ask(key, { team: 'none' }, path)).totals.signals).toBe(0);
    expect((await ask(key, { group_by: 'team,user_id' }, path)).groups).toHaveLength(5);
  });

  it('needs Team or Enterprise; a foreign organization looks like none', async () => {
    const free = await makeTenant(api.ctx, { plan: 'free' });
    const own = await api.call(`/api/v1/org/${free.orgId}/usage`, { key: free.key });
    expect([own.status, own.body.code]).toEqual([403, 'plan_required']);
    const team = await makeTenant(api.ctx);
    const bodies = [];
    for (const id of [team.orgId, 'org_0000000000000000000000', '..%2F..', '%24ne']) {
      const answer = await api.call(`/api/v1/org/${id}/usage`, { key: free.key });
      expect(answer.status, id).toBe(404);
      bodies.push(JSON.stringify({ ...answer.body, request_id: '' }));
    }
    expect(new Set(bodies).size).toBe(1);
  });
});
