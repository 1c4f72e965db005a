import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { calendarWindowAt } from '../../shared/core/limits/budgets/rules/calendar-windows.ts';
import { forecast, levelsReached } from '../../shared/core/limits/budgets/rules/evaluate.ts';
import {
  BUDGET_METRICS,
  type Budget,
  CALENDAR_WINDOWS,
} from '../../shared/core/limits/budgets/rules/model.ts';
import { addMember } from '../../shared/people/members.ts';
import { compare, counted } from '../support/budget-oracle.ts';
import { makeTenant, senderOf } from '../support/factories.ts';
import { storesFixture } from '../support/fixture.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 9, 26, 10, 20);
const { ctx } = await storesFixture({ clock: NOW });

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
];
const windows = fc.constantFrom(...CALENDAR_WINDOWS);

/** The name of a moment's window on a wall calendar: its date, the Monday of its week, its month. */
function nameOfWindow(window: 'daily' | 'weekly' | 'monthly', timeZone: string, atMs: number): string {
  const date = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(atMs);
  if (window === 'daily') return date;
  if (window === 'monthly') return date.slice(0, 7);
  const dayMs = Date.parse(date);
  const sinceMonday = (new Date(dayMs).getUTCDay() + 6) % 7;
  return new Date(dayMs - sinceMonday * 24 * HOUR).toISOString().slice(0, 10);
}

describe('calendar windows', () => {
  test('hold their moment and follow each other without gap or overlap', () => {
    const moments = fc.integer({ min: Date.UTC(2011, 0), max: Date.UTC(2035, 0) });
    fc.assert(
      fc.property(windows, fc.constantFrom(...zones), moments, (window, zone, atMs) => {
        const interval = calendarWindowAt(window, zone, atMs);
        expect(interval.startMs).toBeLessThanOrEqual(atMs);
        expect(atMs).toBeLessThan(interval.endMs);
        expect(calendarWindowAt(window, zone, interval.startMs)).toEqual(interval);
        expect(calendarWindowAt(window, zone, interval.endMs - 1)).toEqual(interval);
        expect(calendarWindowAt(window, zone, interval.endMs).startMs).toBe(interval.endMs);
        expect(interval.startMs % 900_000).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  test('of days, weeks and months hold one date of the clock on the wall, and no more of it is left outside', () => {
    const moments = fc.integer({ min: Date.UTC(2012, 0), max: Date.UTC(2035, 0) });
    fc.assert(
      fc.property(
        fc.constantFrom('daily', 'weekly', 'monthly'),
        fc.constantFrom(...zones),
        moments,
        (window, zone, atMs) => {
          const { startMs, endMs } = calendarWindowAt(window, zone, atMs);
          const nameAt = (moment: number) => nameOfWindow(window, zone, moment);
          const name = nameAt(atMs);
          expect([nameAt(startMs), nameAt(endMs - 1)]).toEqual([name, name]);
          expect([nameAt(startMs - 1), nameAt(endMs)]).not.toContain(name);
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each([
    ['daily', 'Europe/Berlin', '2026-03-29T12:00Z', '2026-03-28T23:00Z', 23],
    ['daily', 'Europe/Berlin', '2026-10-25T12:00Z', '2026-10-24T22:00Z', 25],
    ['daily', 'Africa/Cairo', '2026-04-24T12:00Z', '2026-04-23T22:00Z', 23],
    ['hourly', 'Europe/Berlin', '2026-10-25T01:30Z', '2026-10-25T01:00Z', 1],
    ['hourly', 'Asia/Kathmandu', '2026-04-24T11:00Z', '2026-04-24T10:15Z', 1],
    ['hourly', 'Australia/Lord_Howe', '2026-04-04T15:10Z', '2026-04-04T14:00Z', 1.5],
    ['weekly', 'UTC', '2026-11-22T23:59Z', '2026-11-16T00:00Z', 168],
    ['weekly', 'America/New_York', '2026-11-01T12:00Z', '2026-10-26T04:00Z', 169],
    ['monthly', 'UTC', '2028-02-29T12:00Z', '2028-02-01T00:00Z', 29 * 24],
    ['monthly', 'America/New_York', '2026-11-21T12:00Z', '2026-11-01T04:00Z', 721],
  ] as const)('a %s window in %s at %s begins at %s and lasts %d h', (window, zone, at, start, hours) => {
    const startMs = Date.parse(start);
    expect(calendarWindowAt(window, zone, Date.parse(at))).toEqual({
      startMs,
      endMs: startMs + hours * HOUR,
    });
  });
});

describe('levels', () => {
  test('warning comes at 80 % and not before, exceeded at all of it, and never without a warning', () => {
    expect([79, 80, 99, 100, 130].map((current) => levelsReached(current, 100))).toEqual([
      [],
      ['warning'],
      ['warning'],
      ['warning', 'exceeded'],
      ['warning', 'exceeded'],
    ]);
    // Five times the first is one less than four times the second, and doubles hold neither.
    expect(levelsReached(7_205_759_403_792_791, 9_007_199_254_740_989)).toEqual([]);
    const amounts = fc.integer({ min: 0, max: 1e12 });
    fc.assert(
      fc.property(amounts, fc.integer({ min: 1, max: 1e12 }), (current, limit) => {
        const expected = BigInt(current) * 5n >= BigInt(limit) * 4n;
        expect(levelsReached(current, limit).includes('warning')).toBe(expected);
        expect(levelsReached(current, limit).includes('exceeded')).toBe(current >= limit);
      }),
    );
  });

  test('a forecast is never less than what there is, and is that at the end', () => {
    const interval = { startMs: 0, endMs: 1_000_000 };
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e9 }),
        fc.integer({ min: 0, max: 999_999 }),
        (current, nowMs) => {
          expect(forecast(current, interval, nowMs)).toBeGreaterThanOrEqual(current);
          expect(forecast(current, interval, nowMs)).toBeLessThanOrEqual(21 * current);
          expect(forecast(current, interval, interval.endMs)).toBe(current);
        },
      ),
    );
    expect(forecast(30, interval, 250_000)).toBe(120);
  });
});

const signal = fc.record({
  user_id: fc.constantFrom('ada', 'bob', 'cyd'),
  project_id: fc.constantFrom('apollo', 'gemini'),
  agoMs: fc.integer({ min: 0, max: 50 * HOUR }),
  tokens_in: fc.nat(100_000),
  tokens_out: fc.nat(10_000),
  cost_usd: fc.option(fc.double({ min: 0, max: 5, noNaN: true }), { nil: undefined }),
  isError: fc.boolean(),
});

test('totals equal a plain scan of the signals and do not depend on the order of arrival', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(signal, { minLength: 1, maxLength: 25 }).chain((signals) =>
        fc.tuple(
          fc.constant(signals),
          fc.shuffledSubarray(
            signals.map((_, index) => index),
            { minLength: signals.length },
          ),
          fc.integer({ min: 1, max: 10 }),
          windows,
          fc.constantFrom(...zones),
        ),
      ),
      async ([signals, order, batchSize, window, timezone]) => {
        const totals = [];
        for (const arrival of [signals.map((_, index) => index), order]) {
          const budgets = await makeBudgets(window, timezone);
          await send(budgets[0]?.org_id ?? '', signals, arrival, batchSize);
          totals.push(await totalsOf(budgets));
        }
        expect(totals[1]).toEqual(totals[0]);
      },
    ),
    { numRuns: 12 },
  );
});

type Sent = typeof signal extends fc.Arbitrary<infer T> ? T : never;

/** A budget of each metric and scope. */
async function makeBudgets(window: Budget['window'], timezone: string): Promise<Budget[]> {
  const { orgId } = await makeTenant(ctx);
  await addMember(ctx, { org_id: orgId, user_id: 'ada', email: 'a@e.org', role: 'member', teams: ['red'] });
  const scopes = [
    ['org', orgId],
    ['team', 'red'],
    ['project', 'apollo'],
    ['user', 'bob'],
  ] as const;
  const budgets: Budget[] = [];
  for (const [index, metric] of BUDGET_METRICS.entries()) {
    const [scope, scope_id] = scopes[index % scopes.length] ?? scopes[0];
    const shape = { name: metric, scope, scope_id, metric, threshold: 1e6, window, timezone };
    budgets.push(await createBudget(ctx, orgId, shape));
  }
  return budgets;
}

async function send(orgId: string, signals: readonly Sent[], order: number[], size: number): Promise<void> {
  const posted = order.map((index) => {
    const { agoMs, isError, cost_usd, ...rest } = signals[index] as Sent;
    return {
      id: `s${index}`,
      ts: new Date(NOW - agoMs).toISOString(),
      adapter: 'test',
      model: 'nobody-knows-it',
      ...rest,
      ...(cost_usd === undefined ? {} : { cost_usd }),
      ...(isError ? { error: { code: 'x' } } : {}),
    };
  });
  for (let from = 0; from < posted.length; from += size)
    await recordSignals(ctx, senderOf(orgId), posted.slice(from, from + size));
}

async function totalsOf(budgets: readonly Budget[]): Promise<object[]> {
  const totals: object[] = [];
  for (const budget of budgets) {
    const { expected, found } = await compare(ctx, budget);
    expect(found).toEqual(expected);
    // Which sessions there are depends on the order: an early end by a newer one is not undone.
    if (budget.metric === 'sessions') continue;
    totals.push(Object.fromEntries(await counted(ctx, budget, { startMs: 0, endMs: 0 })));
  }
  return totals;
}
