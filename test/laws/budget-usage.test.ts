import { beforeAll, describe, expect, test } from 'vitest';
import type { Signal } from '../../shared/core/calls/signals/model.ts';
import {
  BUDGET_METRICS,
  type Budget,
  type BudgetScope,
  budgetRows,
} from '../../shared/core/limits/budgets/rules/model.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { scan } from '../support/budget-oracle.ts';
import { everyCalendar } from '../support/calendars.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { pick, seeded } from '../support/random.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 9, 26, 10, 20);
const random = seeded(20_261_124);
const own = await fixture({ clock: NOW, tenant: { timezone: 'Europe/Berlin' } });
const { ctx, clock, ask } = own;

/** Calls of twelve users in two projects over 34 days, in a zone that becomes another one meanwhile. */
beforeAll(async () => {
  clock.set(NOW - 20 * DAY);
  await changeOrganization(ctx, own.orgId, { timezone: 'Asia/Kathmandu' });
  for (const user of ['u1', 'u2', 'u3']) await own.member(user, { teams: ['core'] });
  clock.set(NOW);
  const calls = Array.from({ length: 900 }, () => ({
    ts: clock.now() - Math.floor(random() ** 3 * 34 * DAY),
    user_id: `u${Math.floor(random() * 12)}`,
    project_id: pick(random, ['apollo', 'gemini']),
    model: pick(random, ['gpt-5', 'gpt-5-mini', 'claude-sonnet-4-5', 'nobody-knows-it']),
    provider: pick(random, [undefined, 'aws.bedrock', 'OpenAI', 'litellm', 'ollama']),
    adapter: pick(random, ['codex', 'claude-code']),
    tokens_in: Math.floor(random() * 100_000),
    ...(random() < 0.2 ? { error: { code: 'x' } } : {}),
  }));
  await own.record(...calls);
});

const WHOSE: Record<BudgetScope, string> = { org: '', team: 'core', project: 'apollo', user: 'u1' };

const makeBudget = (fields: object) =>
  ask('/api/v1/budgets', { ...BUDGET, metric: 'tokens', threshold: 1e6, timezone: undefined, ...fields });
const usageOf = (id: string, query = '') => ask(`/api/v1/budgets/${id}/usage${query}`);
const read = (id: string, query = '', key = own.key) =>
  own.send(`/api/v1/budgets/${id}/usage${query}`, undefined, { key });

const sumOf = (parts: { used: number }[]) =>
  Number(parts.reduce((sum, { used }) => sum + used, 0).toFixed(4));

/** The calls without a price of a budget's window are those of a scan. */
async function expectUnpriced(id: string): Promise<void> {
  const budget = (await budgetRows(ctx).findOne({ _id: id })) as Budget;
  const { window_start, unpriced_signals, unpriced_models } = await ask(`/api/v1/budgets/${id}`);
  const isUnpriced = ({ cost_nusd }: Signal) => cost_nusd === null;
  const windows = await scan(ctx, { ...budget, metric: 'signals' }, isUnpriced);
  const open = [...windows].filter(([startMs]) => startMs >= Date.parse(window_start));
  const sum = open.reduce((all, [, signals]) => all + signals, 0);
  const counts = unpriced_models.map(({ signals }: { signals: number }) => signals);
  expect([unpriced_signals, counts.reduce((all: number, own: number) => all + own, 0)]).toEqual([sum, sum]);
}

describe('the usage of a budget', () => {
  const cases = Object.keys(WHOSE).flatMap((scope, row) =>
    everyCalendar(NOW, 60).map((calendar) => [scope, calendar.window, calendar, row] as const),
  );
  test.each(cases)(
    'of scope %s, %s, sums to `current` by time and by user, in each metric, with its calls without a price',
    async (scope, _window, calendar, row) => {
      for (const [column, metric] of BUDGET_METRICS.entries()) {
        // Each metric of each window is in both zones, of two scopes each.
        const timezone = (row + column) % 2 === 0 ? 'Asia/Kathmandu' : 'America/New_York';
        const whose = scope === 'org' ? {} : { scope_id: WHOSE[scope as BudgetScope] };
        const made = await makeBudget({ scope, metric, ...calendar, timezone, ...whose });
        const { current, forecast } = await ask(`/api/v1/budgets/${made.id}`);
        if (metric === 'cost_usd') await expectUnpriced(made.id);
        const body = await usageOf(made.id);
        expect(body).toMatchObject({ start: made.window_start, end: made.window_end, forecast });
        expect(body.points.at(-1).total).toBe(current);
        expect([sumOf(body.points), sumOf(body.users)]).toEqual([current, current]);
        for (const [at, { total, used }] of body.points.entries())
          expect(Number((total - used).toFixed(4))).toBe(at === 0 ? 0 : body.points[at - 1].total);
        expect(body.points[0].start).toBe(made.counted_from);
        expect(Date.parse(body.points.at(-1).start)).toBeLessThanOrEqual(clock.now() + 5 * 60_000);
      }
    },
  );

  test.each([
    null,
    { models: ['gpt-5*'] },
    { models: ['*-mini', 'claude-*-5'], adapters: ['codex'] },
    { providers: ['aws'] },
    { providers: ['openai', 'unknown'] },
  ])(
    'of windows that are over is that of a plain scan, and of `windows`, with the filter %j',
    async (filter) => {
      const fields = {
        metric: 'tokens',
        threshold: 1e9,
        window: 'weekly',
        timezone: 'Asia/Kathmandu',
      } as const;
      const budget = await own.budget({ ...fields, filter });
      await expectUnpriced(budget._id);
      const expected = await scan(ctx, budget);
      const { data } = await ask(`/api/v1/budgets/${budget._id}/windows`);
      expect(expected.size).toBeGreaterThan(3);
      for (const [startMs, amount] of expected) {
        const start = new Date(startMs).toISOString();
        const { status, body } = await read(budget._id, `?window_start=${encodeURIComponent(start)}`);
        // Before the organization moved, a week of Kathmandu is no week of whole days.
        if (startMs < NOW - 35 * DAY) continue;
        expect(status).toBe(200);
        expect([body.points.at(-1).total, sumOf(body.users)]).toEqual([amount, amount]);
        expect(body.points).toHaveLength(startMs + 7 * DAY > NOW ? 1 : 7);
        const known = data.find((window: { start: string }) => window.start === start);
        if (known) expect(known.current).toBe(amount);
      }
    },
  );

  test('names the eight users that used most, most expensive first, and all others as one', async () => {
    const { id } = await makeBudget({ window: 'monthly', metric: 'signals' });
    const { users } = await usageOf(id);
    expect(users).toHaveLength(9);
    expect(users.at(-1).user_id).toBeNull();
    const named = users.slice(0, -1).map(({ used }: { used: number }) => used);
    expect(named).toEqual(named.toSorted((a: number, b: number) => b - a));
    expect(new Set(users.map(({ user_id }: { user_id: string }) => user_id)).size).toBe(9);
  });

  test('has points of a quarter hour, an hour or a day', async () => {
    const shown = async (window: string) => {
      const { id } = await makeBudget({ window, timezone: 'Asia/Kathmandu' });
      const { interval, points } = await usageOf(id);
      return [interval, points.length];
    };
    // It is 16:05 on Monday the 26th in Kathmandu.
    expect(await shown('hourly')).toEqual(['quarter_hour', 1]);
    expect(await shown('daily')).toEqual(['hour', 17]);
    expect(await shown('weekly')).toEqual(['day', 1]);
    expect(await shown('monthly')).toEqual(['day', 26]);
  });

  test('is of a window that begins there, has begun and ended within 35 days, or it is a 400', async () => {
    const { id, window_start } = await makeBudget({ window: 'daily', timezone: 'Europe/Berlin' });
    const startMs = Date.parse(window_start);
    const asked = async (ms: number) =>
      (await read(id, `?window_start=${new Date(ms).toISOString()}`)).status;
    expect(await asked(startMs)).toBe(200);
    // The 21st of September in Berlin ended 34 days and 12 hours ago: its hours are no longer kept.
    const oldest = await usageOf(id, '?window_start=2026-09-20T22:00:00Z');
    expect(oldest).toMatchObject({ interval: 'day', points: [{ start: expect.any(String) }] });
    for (const wrong of [startMs + 1, startMs + DAY, startMs - 40 * DAY, startMs - HOUR])
      expect(await asked(wrong), String(wrong)).toBe(400);
    for (const query of ['?window_start=yesterday', '?window_start=2026-10-26', '?start=1', '?window_start='])
      expect((await read(id, query)).status, query).toBe(400);
    const { body } = await read(id, `?window_start=${new Date(startMs + 1).toISOString()}`);
    expect(body.errors).toEqual([{ parameter: 'window_start', detail: expect.any(String) }]);
  });

  test('is not there for another organization, nor for a key of another user', async () => {
    const { id } = await makeBudget({ scope: 'user', scope_id: 'u1' });
    for (const key of [(await own.tenant()).key, await own.keyOf('u2')])
      expect((await read(id, '', key)).status).toBe(404);
    expect((await read(id, '', await own.keyOf('u1'))).status).toBe(200);
    expect((await read('bud_x')).status).toBe(404);
  });
});
