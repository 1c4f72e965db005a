import { describe, expect, test } from 'vitest';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-18T10:20:00Z');
const f = await fixture({ clock: NOW, tenant: { timezone: 'Europe/Berlin' }, perTest: true });
const { clock } = f;

const base = { name: 'B', scope: 'org', metric: 'cost_usd', threshold: 10 };
const post = (body: object) => f.send('/api/v1/budgets', { ...base, ...body });
const read = (id: string) => f.ask(`/api/v1/budgets/${id}`);
const change = (id: string, body: object) => f.patch(`/api/v1/budgets/${id}`, body);
const check = (body: object = {}) => f.ask('/api/v1/budgets/check', body);

/** A check that a budget refuses: a process decides by a signal within half a second. */
async function refusedCheck() {
  await until(async () => !(await check()).allow);
  return check();
}

async function use(ts: number | string, cost_usd: number): Promise<string> {
  const signal = makeSignal({ ts: typeof ts === 'string' ? Date.parse(ts) : ts, cost_usd });
  const { body } = await f.send('/api/v1/signals', signal);
  expect(body.results).toMatchObject([{ status: 'accepted' }]);
  return `${body.results[0].session_id} ${String(signal.id)}`;
}

describe('windows', () => {
  test('of a quarter begin in the fiscal month, and in each third after it', async () => {
    expect((await post({ window: 'quarterly' })).body).toMatchObject({
      fiscal_start_month: 1,
      window_start: '2026-09-30T22:00:00.000Z',
      window_end: '2026-12-31T23:00:00.000Z',
    });
    const { body } = await post({ window: 'quarterly', fiscal_start_month: 8, timezone: 'UTC' });
    expect(body).toMatchObject({
      fiscal_start_month: 8,
      rolling_days: null,
      starts_on: null,
      window_start: '2026-11-01T00:00:00.000Z',
      window_end: '2027-02-01T00:00:00.000Z',
      counted_from: '2026-11-01T00:00:00.000Z',
    });
  });

  test('of a rolling budget hold its days, and the next midnight drops the first', async () => {
    await use('2026-11-16T22:59:59Z', 4);
    await use('2026-11-16T23:00:00Z', 2);
    const { body } = await post({ window: 'rolling', rolling_days: 2 });
    expect(body).toMatchObject({
      rolling_days: 2,
      window_start: '2026-11-16T23:00:00.000Z',
      window_end: '2026-11-18T23:00:00.000Z',
      current: 2,
    });
    await use('2026-11-17T23:30:00Z', 1);
    expect(await read(body.id)).toMatchObject({ current: 3 });
    clock.set(Date.parse('2026-11-18T23:00:00Z'));
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
    const used = new Map([
      [3, 6],
      [31, 36],
      [7, 30],
    ]);
    for (const rolling_days of used.keys()) {
      clock.advance(1);
      expect((await post({ ...rolling, rolling_days })).status).toBe(201);
    }
    for (const [days, cost_usd] of [
      [31, 1],
      [30, 2],
      [7, 4],
      [6, 8],
      [3, 16],
      [2, 5],
      [0, 1],
    ] as const)
      await use(NOW - days * DAY, cost_usd);
    const told = async () => {
      const { budgets } = await check();
      return budgets.map(({ remaining }: { remaining: number }) => 50 - remaining);
    };
    // A process decides by signals within half a second: where it knows the last one, it knows all.
    await until(async () => (await told())[0] === used.get(3));
    expect(await told()).toEqual([...used.values()]);
  });

  test('of a total begin on its day and do not end, in every answer', async () => {
    await use('2026-11-09T22:59:59Z', 4);
    await use('2026-11-09T23:00:00Z', 3);
    const { body } = await post({ window: 'total', starts_on: '2026-11-10', enforce: 'hard' });
    expect(body).toMatchObject({
      starts_on: '2026-11-10',
      window_start: '2026-11-09T23:00:00.000Z',
      window_end: null,
      current: 3,
      forecast: 3,
    });
    // A late signal from before it does not count.
    await use('2026-11-09T22:59:59Z', 1);
    await use(NOW, 7);
    expect(await read(body.id)).toMatchObject({ current: 10, state: 'exceeded' });
    const usage = await f.ask(`/api/v1/budgets/${body.id}/usage`);
    expect(usage).toMatchObject({ start: body.window_start, end: null, interval: 'day', forecast: 10 });
    expect(usage.points.at(-1).total).toBe(10);
    const { data } = await f.ask(`/api/v1/budgets/${body.id}/windows`);
    expect(data).toEqual([{ start: body.window_start, end: null, current: 10, utilization_pct: 100 }]);
    clock.advance(400 * DAY);
    expect(await refusedCheck()).toMatchObject({
      allow: false,
      reason: 'Budget "B" has $0.00 of $10.00 left.',
      refused_by: { cause: 'spent', resets_at: null },
      retry_at: null,
      budgets: [{ resets_at: null }],
    });
    const gate = await f.send('/gate');
    expect([gate.status, gate.headers.get('retry-after')]).toEqual([403, null]);
  });

  test('that end later refuse before those that end sooner, and one that never ends before all', async () => {
    const ids = new Map<string, string>();
    const limits = { enforce: 'hard', threshold: 1 };
    for (const window of ['total', 'monthly', 'quarterly', 'daily'])
      ids.set(window, (await post({ window, ...limits })).body.id);
    await use(NOW, 2);
    expect((await refusedCheck()).refused_by.id).toBe(ids.get('total'));
    await f.remove(`/api/v1/budgets/${ids.get('total')}`);
    expect((await refusedCheck()).refused_by.id).toBe(ids.get('quarterly'));
  });
});

describe('what was used more than 35 days ago', () => {
  test('counts from the border on where that is a midnight of the organization, else from the next one', async () => {
    clock.set(NOW - 60 * DAY);
    await use(Date.parse('2026-09-18T22:30:00Z'), 1);
    await use(Date.parse('2026-09-19T01:00:00Z'), 2);
    await use(Date.parse('2026-09-19T06:00:00Z'), 4);
    clock.set(NOW);
    await use(NOW, 1);
    const own = (await post({ window: 'total', starts_on: '2026-09-19' })).body;
    expect(own).toMatchObject({ current: 8, counted_from: own.window_start });
    const other = await post({ window: 'total', starts_on: '2026-09-19', timezone: 'America/New_York' });
    expect(other.body).toMatchObject({
      window_start: '2026-09-19T04:00:00.000Z',
      counted_from: '2026-09-19T22:00:00.000Z',
      current: 1,
    });
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
    const made = await post({ window: 'total', timezone: 'America/New_York' });
    await use(clock.now(), 3);
    clock.set(NOW);
    const changed = await change(made.body.id, { threshold: 20, metric: 'cost_usd' });
    expect(changed.body).toMatchObject({
      revision: 2,
      current: 3,
      starts_on: made.body.starts_on,
      counted_from: made.body.window_start,
    });
    // A budget that counts the same finds it.
    const second = await post({
      window: 'total',
      starts_on: made.body.starts_on,
      timezone: 'America/New_York',
    });
    expect(second.body).toMatchObject({ current: 3, counted_from: made.body.window_start });
  });
});

describe('a change of the window', () => {
  test('drops the field of the window before, and needs that of the new one', async () => {
    const { id } = (await post({ window: 'rolling', rolling_days: 7 })).body;
    expect((await change(id, { rolling_days: 3 })).body).toMatchObject({ rolling_days: 3, revision: 2 });
    expect((await change(id, { window: 'quarterly' })).body).toMatchObject({
      window: 'quarterly',
      fiscal_start_month: 1,
      rolling_days: null,
      revision: 3,
    });
    expect((await change(id, { window: 'rolling' })).status).toBe(400);
    expect((await change(id, { window: 'total' })).body).toMatchObject({
      fiscal_start_month: null,
      starts_on: '2026-11-18',
    });
  });

  test.each([
    ['a rolling window without days', { window: 'rolling' }, 'rolling_days'],
    ['a rolling day', { window: 'rolling', rolling_days: 1 }, 'rolling_days'],
    ['32 rolling days', { window: 'rolling', rolling_days: 32 }, 'rolling_days'],
    ['days of another window', { window: 'daily', rolling_days: 7 }, 'rolling_days'],
    ['rolling days of each user', { window: 'rolling', rolling_days: 7, per: 'user' }, 'per'],
    ['a thirteenth month', { window: 'quarterly', fiscal_start_month: 13 }, 'fiscal_start_month'],
    ['a fiscal month of months', { window: 'monthly', fiscal_start_month: 4 }, 'fiscal_start_month'],
    ['a start of a quarter', { window: 'quarterly', starts_on: '2026-01-01' }, 'starts_on'],
    ['a total from tomorrow on', { window: 'total', starts_on: '2026-11-19' }, 'starts_on'],
    ['a total of more than ten years', { window: 'total', starts_on: '2016-11-17' }, 'starts_on'],
    ['a day that is none', { window: 'total', starts_on: '2026-02-30' }, 'starts_on'],
  ])('%s is a 400', async (_what, body, field) => {
    const refused = await post(body);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(field)]);
    const { id } = (await post({ window: 'weekly' })).body;
    expect((await change(id, body)).status).toBe(400);
  });
});
