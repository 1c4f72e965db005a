import { describe, expect, onTestFinished, test } from 'vitest';
import { evaluateDue } from '../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { fixture } from '../support/fixture.ts';
import { createTestClock, openTestContext, until } from '../support/harness.ts';
import { recordAll } from '../support/usage.ts';

const DAY = 86_400_000;
const TEN_MINUTES = 600_000;
const NOW = Date.parse('2026-11-18T10:20:00Z');
const f = await fixture({ clock: NOW, tenant: { timezone: 'Europe/Berlin' }, perTest: true });
const { clock } = f;

const base = { name: 'B', scope: 'org', metric: 'cost_usd', threshold: 10 };
const post = (body: object) => f.send('/api/v1/budgets', { ...base, ...body });
const read = (id: string) => f.ask(`/api/v1/budgets/${id}`);
const change = (id: string, body: object) => f.patch(`/api/v1/budgets/${id}`, body);
const check = (body: object = {}) => f.ask('/api/v1/budgets/check', body);

const use = (ts: number | string, cost_usd: number) => f.spend({ ts, cost_usd });

describe('windows', () => {
  test('of a rolling budget hold its days, and the next midnight drops the first', async () => {
    await use('2026-11-16T22:59:59Z', 4);
    await use('2026-11-16T23:00:00Z', 2);
    await use('2026-11-17T23:30:00Z', 1);
    const { body } = await post({ window: 'rolling', rolling_days: 2 });
    const { window_start, window_end, current } = body;
    const days = ['2026-11-16T23:00:00.000Z', '2026-11-18T23:00:00.000Z'];
    expect([window_start, window_end, current]).toEqual([...days, 3]);
    clock.set(Date.parse(window_end));
    expect(await read(body.id)).toMatchObject({ current: 1, window_end: '2026-11-19T23:00:00.000Z' });
    const { data } = await f.ask(`/api/v1/budgets/${body.id}/windows`);
    expect(data).toEqual([
      { start: '2026-11-17T23:00:00.000Z', end: '2026-11-19T23:00:00.000Z', current: 1, utilization_pct: 10 },
      { start: '2026-11-16T23:00:00.000Z', end: '2026-11-18T23:00:00.000Z', current: 3, utilization_pct: 30 },
      { start: '2026-11-15T23:00:00.000Z', end: '2026-11-17T23:00:00.000Z', current: 6, utilization_pct: 60 },
      { start: '2026-11-14T23:00:00.000Z', end: '2026-11-16T23:00:00.000Z', current: 4, utilization_pct: 40 },
    ]);
    const usage = await f.ask(`/api/v1/budgets/${body.id}/usage?window_start=2026-11-16T23:00:00Z`);
    expect(usage).toMatchObject({ interval: 'day', end: '2026-11-18T23:00:00.000Z' });
    expect(usage.points.map(({ used }: { used: number }) => used)).toEqual([2, 1]);
  });

  test('of several rolling budgets that count the same are judged each by all of its days', async () => {
    const rolling = { window: 'rolling', enforce: 'hard', threshold: 50 };
    const used = [6, 36, 30];
    for (const rolling_days of [3, 31, 7]) {
      clock.advance(1);
      expect((await post({ ...rolling, rolling_days })).status).toBe(201);
    }
    const costs = { 0: 1, 2: 5, 3: 16, 6: 8, 7: 4, 30: 2, 31: 1 };
    for (const [days, cost_usd] of Object.entries(costs).toReversed())
      await use(NOW - Number(days) * DAY, cost_usd);
    const told = async () => {
      const { budgets } = await check();
      return budgets.map(({ remaining }: { remaining: number }) => 50 - remaining);
    };
    // A process decides by signals within half a second: where it knows the last one, it knows all.
    await until(async () => (await told())[0] === used[0]);
    expect(await told()).toEqual(used);
  });

  test('of a total begin on its day and do not end, in every answer', async () => {
    await use('2026-11-09T22:59:59Z', 4);
    await use('2026-11-09T23:00:00Z', 3);
    const { body } = await post({ window: 'total', starts_on: '2026-11-10', enforce: 'hard' });
    const days = { starts_on: '2026-11-10', window_start: '2026-11-09T23:00:00.000Z', window_end: null };
    expect(body).toMatchObject({ ...days, current: 3, forecast: 3 });
    await use(NOW, 7);
    expect(await read(body.id)).toMatchObject({ current: 10, state: 'exceeded' });
    const usage = await f.ask(`/api/v1/budgets/${body.id}/usage`);
    expect(usage).toMatchObject({ start: body.window_start, end: null, interval: 'day', forecast: 10 });
    expect(usage.points.at(-1).total).toBe(10);
    const { data } = await f.ask(`/api/v1/budgets/${body.id}/windows`);
    expect(data).toEqual([{ start: body.window_start, end: null, current: 10, utilization_pct: 100 }]);
    clock.advance(400 * DAY);
    await until(async () => !(await check()).allow);
    expect(await check()).toMatchObject({
      reason: 'Budget "B" has $0.00 of $10.00 left.',
      refused_by: { cause: 'spent', resets_at: null },
      retry_at: null,
      budgets: [{ resets_at: null }],
    });
    const hidden = await f.ask('/api/v1/budgets/check', {}, { key: await f.keyOf('bob') });
    expect([hidden.reason, hidden.retry_at]).toEqual([
      'A budget of your organization refuses this call.',
      null,
    ]);
    const gate = await f.send('/gate');
    expect([gate.status, gate.headers.get('retry-after')]).toEqual([403, null]);
  });
});

describe('what was used more than 35 days ago', () => {
  test('counts from the border on where that is a midnight of the organization, else from the next one', async () => {
    clock.set(NOW - 60 * DAY);
    await use('2026-09-18T22:30:00Z', 1);
    await use('2026-09-19T01:00:00Z', 2);
    await use('2026-09-19T06:00:00Z', 4);
    clock.set(NOW);
    await use(NOW, 1);
    const own = (await post({ window: 'total', starts_on: '2026-09-19' })).body;
    expect(own).toMatchObject({ current: 8, counted_from: own.window_start });
    const other = await post({ window: 'total', starts_on: '2026-09-19', timezone: 'America/New_York' });
    const days = { window_start: '2026-09-19T04:00:00.000Z', counted_from: '2026-09-19T22:00:00.000Z' };
    expect(other.body).toMatchObject({ ...days, current: 1 });
    const usage = await f.ask(`/api/v1/budgets/${other.body.id}/usage`);
    expect(usage.points.at(-1).total).toBe(1);
    expect(usage.points[0].start).toBe('2026-09-19T22:00:00.000Z');
  });

  test('does not count in a window of the last hours that are known', async () => {
    // The hours are known from 10:15 on, and the organization's day began at 22:00.
    await use('2026-10-14T12:10:00Z', 1);
    await use('2026-10-14T12:40:00Z', 2);
    await use('2026-10-14T15:00:00Z', 4);
    const { body } = await post({ window: 'hourly' });
    const usage = await f.ask(`/api/v1/budgets/${body.id}/usage?window_start=2026-10-14T12:00:00Z`);
    expect(usage).toMatchObject({ interval: 'quarter_hour', end: '2026-10-14T13:00:00.000Z' });
    expect(usage.points.map(({ total }: { total: number }) => total)).toEqual([1, 1, 3, 3]);
    expect(usage.users.map(({ used }: { used: number }) => used)).toEqual([3]);
  });

  test('is asked for by window_start up to 35 days after the end of a window', async () => {
    const { id } = (await post({ window: 'daily', timezone: 'UTC' })).body;
    const status = async (daysAgo: number) => {
      const start = new Date(Math.floor(clock.now() / DAY) * DAY - daysAgo * DAY).toISOString();
      return (await f.send(`/api/v1/budgets/${id}/usage?window_start=${start}`)).status;
    };
    expect([await status(0), await status(35), await status(36), await status(-1)]).toEqual([
      200, 200, 400, 400,
    ]);
  });

  test('is no usage of a window that ended before it, in another timezone', async () => {
    const window = '?window_start=2026-10-11T04:00:00Z';
    clock.set(NOW - 30 * DAY);
    // Sunday to Wednesday in New York; the last one is after the end of that window, and within the same day of Berlin.
    await use('2026-10-11T10:00:00Z', 1);
    await use('2026-10-12T10:00:00Z', 2);
    await use('2026-10-14T01:00:00Z', 4);
    await use('2026-10-14T10:00:00Z', 8);
    const { id } = (await post({ window: 'rolling', rolling_days: 3, timezone: 'America/New_York' })).body;
    expect((await f.ask(`/api/v1/budgets/${id}/usage${window}`)).points.at(-1).total).toBe(7);
    // The hours are known from 2:15 on, and the window ended at 4:00.
    clock.set(Date.parse('2026-11-18T02:20:00Z'));
    const usage = await f.ask(`/api/v1/budgets/${id}/usage${window}`);
    expect(usage.end).toBe('2026-10-14T04:00:00.000Z');
    expect(usage.points.at(-1).total).toBe(2);
    expect(usage.users.map(({ used }: { used: number }) => used)).toEqual([2]);
  });

  test('stays counted by a change that keeps scope, filter, window and timezone', async () => {
    clock.set(NOW - 60 * DAY);
    const total = { window: 'total', timezone: 'America/New_York' };
    const { id, starts_on, window_start } = (await post(total)).body;
    await use(clock.now(), 3);
    clock.set(NOW);
    const counted = { current: 3, starts_on, counted_from: window_start };
    const changed = await change(id, { threshold: 20, metric: 'cost_usd' });
    expect(changed.body).toMatchObject({ revision: 2, ...counted });
    // A budget that counts the same finds it.
    expect((await post({ ...total, starts_on })).body).toMatchObject(counted);
  });
});

describe('a change of the window', () => {
  test('drops the field of the window before, and needs that of the new one', async () => {
    const { id } = (await post({ window: 'rolling', rolling_days: 7 })).body;
    expect((await change(id, { rolling_days: 3 })).body).toMatchObject({ rolling_days: 3, revision: 2 });
    const quarter = { window: 'quarterly', fiscal_start_month: 1, rolling_days: null, revision: 3 };
    expect((await change(id, { window: 'quarterly' })).body).toMatchObject(quarter);
    for (const refused of [await change(id, { window: 'rolling' }), await post({ window: 'rolling' })])
      expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/rolling_days']);
    const total = { fiscal_start_month: null, starts_on: '2026-11-18' };
    expect((await change(id, { window: 'total' })).body).toMatchObject(total);
  });
});

describe('the history of a budget', () => {
  test('is the levels that it has reached, with their events, and what was used in each window, newest first', async () => {
    await use(NOW - DAY, 3);
    const { id } = (await post({ window: 'daily', timezone: 'UTC' })).body;
    const path = `/api/v1/budgets/${id}`;
    await use(NOW, 9);
    await evaluateDue(f.ctx, f.orgId);
    clock.advance(1_000);
    await use(NOW, 2);
    await evaluateDue(f.ctx, f.orgId);
    const [yesterday, start, end] = ['17', '18', '19'].map((day) => `2026-11-${day}T00:00:00.000Z`);
    const common = {
      user_id: null,
      revision: 1,
      window_start: start,
      window_end: end,
      event_id: expect.stringMatching(/^evt_/),
      reversed_at: null,
    };
    const events = await f.ask(`${path}/events`);
    expect([events.total, events.has_more, events.data]).toEqual([
      2,
      false,
      [
        { ...common, level: 'exceeded', fired_at: new Date(NOW + 1_000).toISOString() },
        { ...common, level: 'warning', fired_at: new Date(NOW).toISOString() },
      ],
    ]);
    const { data } = await f.ask(`${path}/windows?limit=2`);
    expect(data).toEqual([
      { start, end, current: 11, utilization_pct: 110 },
      { start: yesterday, end: start, current: 3, utilization_pct: 30 },
    ]);
    expect((await f.send(`${path}/windows?limit=0`)).status).toBe(400);
  });

  /** A daily budget of the team red, of which Ada alone has spent 1, 2, 3, 4 and 5 dollars on the five days before today. */
  async function makeUsed() {
    await f.member('ada', { teams: ['red'] });
    const of = { window: 'daily', scope: 'team', scope_id: 'red' };
    const { id } = (await post(of)).body;
    const used = async () => {
      const { data } = await f.ask(`/api/v1/budgets/${id}/windows`);
      return data.map(({ current }: { current: number }) => current);
    };
    for (const cost_usd of [1, 2, 3, 4, 5]) {
      await use(clock.now(), cost_usd);
      clock.advance(DAY);
    }
    expect(await used()).toEqual([5, 4, 3, 2, 1]);
    return { id, of, used };
  }

  test('stays when the threshold changes, another budget counts the same, and somebody joins the team', async () => {
    const { id, of, used } = await makeUsed();
    const join = () => f.member('bob', { teams: ['red'] });
    for (const act of [() => change(id, { threshold: 20 }), () => post({ ...of, metric: 'tokens' }), join]) {
      await act();
      expect(await used()).toEqual([5, 4, 3, 2, 1]);
    }
  });

  test('goes when nobody counts days for a while: what is added meanwhile would be missing in them', async () => {
    const { id, used } = await makeUsed();
    await change(id, { window: 'weekly' });
    await change(id, { window: 'daily' });
    expect(await used()).toEqual([5, 4]);
  });
});

test.each([
  ['an hour', {}],
  ["a person's hour", { per: 'user' }],
])(
  'what is spent in %s is known again when the clock of an api was ahead over its end',
  async (_, fields) => {
    clock.set(Date.UTC(2026, 10, 18, 10, 55));
    const elsewhere = await openTestContext({ sharing: f.ctx, clock: createTestClock(clock.now()) });
    onTestFinished(() => elsewhere.close());
    const call = { ts: clock.now(), user_id: 'ada' };
    await post({ window: 'hourly', enforce: 'hard', ...fields });
    const record = async (cost_usd: number) => {
      await recordAll(elsewhere, f.orgId, [{ ...call, cost_usd }]);
      await statusCache(f.ctx).refresh(f.orgId);
    };
    const asked = { user_id: 'ada', estimate_usd: 5 };
    await record(10);
    expect((await check(asked)).allow).toBe(false);

    clock.shift(TEN_MINUTES);
    await record(0);
    expect((await check(asked)).allow).toBe(true);

    clock.shift(-TEN_MINUTES);
    const refused = { allow: false, refused_by: { cause: 'spent' } };
    expect(await check(asked)).toMatchObject(refused);
    expect(await f.ask('/api/v1/budgets/reserve', { ...asked, ttl_s: 60 })).toMatchObject(refused);
  },
);
