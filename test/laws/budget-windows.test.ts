import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import type { Calendar } from '../../shared/core/limits/budgets/rules/counted.ts';
import type { Budget } from '../../shared/core/limits/budgets/rules/model.ts';
import { countedWindowAt, NEVER_MS, windowAt } from '../../shared/core/limits/budgets/rules/windows.ts';
import { readBudget } from '../../shared/core/limits/budgets/show/read-budgets.ts';
import { reserveInBudgets } from '../../shared/core/limits/enforcement/reserve/reserve.ts';
import { makeTenant, senderOf } from '../support/factories.ts';
import { storesFixture } from '../support/fixture.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 9, 26, 10, 20);
const { ctx, clock } = await storesFixture({ clock: NOW });

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
];
const zone = fc.constantFrom(...zones);
const moment = fc.integer({ min: Date.UTC(2012, 0), max: Date.UTC(2035, 0) });

/** The date of the clock on the wall. */
function dateAt(timeZone: string, atMs: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(atMs);
}

function calendar(fields: Partial<Calendar>): Calendar {
  return { window: 'rolling', timezone: 'UTC', ...fields };
}

describe('borders', () => {
  test('of quarters are first moments of every third month from the fiscal one on, without gap or overlap', () => {
    fc.assert(
      fc.property(zone, fc.integer({ min: 1, max: 12 }), moment, (timezone, fiscal_start_month, atMs) => {
        const quarterly = calendar({ window: 'quarterly', timezone, fiscal_start_month });
        const { startMs, endMs } = windowAt(quarterly, atMs);
        expect(startMs <= atMs && atMs < endMs).toBe(true);
        expect(windowAt(quarterly, endMs).startMs).toBe(endMs);
        expect(windowAt(quarterly, startMs - 1).endMs).toBe(startMs);
        for (const borderMs of [startMs, endMs]) {
          const [, month, day] = dateAt(timezone, borderMs).split('-').map(Number);
          expect(day).toBe(1);
          expect((Number(month) - fiscal_start_month + 12) % 3).toBe(0);
          expect(dateAt(timezone, borderMs - 1).slice(5, 7)).not.toBe(dateAt(timezone, borderMs).slice(5, 7));
        }
        const months = monthOf(timezone, endMs) - monthOf(timezone, startMs);
        expect(months).toBe(3);
      }),
      { numRuns: 500 },
    );
  });

  test('of a rolling window are midnights, and it holds its days, the present one last', () => {
    fc.assert(
      fc.property(zone, fc.integer({ min: 2, max: 31 }), moment, (timezone, rolling_days, atMs) => {
        const rolling = calendar({ timezone, rolling_days });
        const { startMs, endMs } = windowAt(rolling, atMs);
        expect(endMs).toBe(countedWindowAt(rolling, atMs).endMs);
        let days = 0;
        for (let at = startMs; at < endMs; days += 1) at = countedWindowAt(rolling, at).endMs;
        expect(days).toBe(rolling_days);
        expect(countedWindowAt(rolling, startMs).startMs).toBe(startMs);
        // The next one is a day later at both ends.
        const next = windowAt(rolling, endMs);
        expect(next.startMs).toBe(countedWindowAt(rolling, startMs).endMs);
      }),
      { numRuns: 500 },
    );
  });

  test('of a total are the first moment of its date, and none', () => {
    fc.assert(
      fc.property(zone, moment, (timezone, atMs) => {
        const starts_on = dateAt(timezone, atMs);
        const total = calendar({ window: 'total', timezone, starts_on });
        const { startMs, endMs } = windowAt(total, atMs);
        expect(endMs).toBe(NEVER_MS);
        expect([dateAt(timezone, startMs), startMs <= atMs]).toEqual([starts_on, true]);
        expect(dateAt(timezone, startMs - 1)).not.toBe(starts_on);
      }),
      { numRuns: 300 },
    );
  });
});

function monthOf(timezone: string, atMs: number): number {
  const [year, month] = dateAt(timezone, atMs).split('-').map(Number);
  return Number(year) * 12 + Number(month);
}

/** Signals of 34 days, each sent some hours after its own time, before and after the budget is made. */
const sent = fc.record({
  agoMs: fc.integer({ min: 0, max: 34 * 24 * HOUR }),
  lateMs: fc.integer({ min: 0, max: 34 * 24 * HOUR }),
  tokens_in: fc.integer({ min: 1, max: 1_000 }),
});

test('a rolling sum after any late order is that of a plain scan, at each midnight', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sent, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 2, max: 31 }),
      zone,
      async (signals, rolling_days, timezone) => {
        clock.set(NOW);
        const { orgId } = await makeTenant(ctx);
        const shape = { name: 'R', scope: 'org', metric: 'tokens_in', threshold: 1e9 } as const;
        const fields = { window: 'rolling', rolling_days, timezone } as const;
        const endMs = NOW + 3 * 24 * HOUR;
        const arrivals = signals
          .map(({ agoMs, lateMs, tokens_in }, at) => {
            const tsMs = endMs - agoMs;
            return {
              id: `s${at}`,
              tsMs,
              tokens_in,
              atMs: Math.min(Math.max(tsMs, NOW - lateMs), tsMs + lateMs),
            };
          })
          .filter(({ tsMs, atMs }) => tsMs <= atMs && atMs <= endMs)
          .toSorted((a, b) => a.atMs - b.atMs);
        let budget: Budget | null = null;
        for (const dayMs of [NOW, NOW + 24 * HOUR, NOW + 48 * HOUR, endMs]) {
          const due = arrivals.filter(({ atMs }) => atMs <= dayMs);
          for (const { id, tsMs, atMs, tokens_in } of due) {
            clock.set(Math.max(atMs, tsMs));
            await recordSignals(ctx, senderOf(orgId), [
              { id, ts: new Date(tsMs).toISOString(), adapter: 'test', user_id: 'ada', tokens_in },
            ]);
          }
          clock.set(dayMs);
          budget ??= await createBudget(ctx, orgId, { ...shape, ...fields });
          const { startMs, endMs: untilMs } = windowAt(budget, dayMs);
          const rows = await signalRows(ctx).find({ org_id: orgId }).toArray();
          const expected = rows
            .filter(({ ts }) => ts.getTime() >= startMs && ts.getTime() < untilMs)
            .reduce((sum, row) => sum + row.tokens_in, 0);
          const { current, window_start } = await readBudget(ctx, orgId, budget._id);
          expect([window_start, current]).toEqual([new Date(startMs).toISOString(), expected]);
        }
      },
    ),
    { numRuns: 25 },
  );
});

const step = fc.record({
  kind: fc.constantFrom('reserve', 'settle', 'spend', 'wait'),
  cents: fc.integer({ min: 1, max: 400 }),
  waitMs: fc.integer({ min: 0, max: 9 * HOUR }),
});

test('what is reserved and what is reported never pass a hard limit over midnights', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 14 }),
      fc.constantFrom(
        { window: 'rolling', rolling_days: 2 } as const,
        { window: 'total' } as const,
        { window: 'quarterly' } as const,
      ),
      async (steps, fields) => {
        clock.set(Date.UTC(2026, 8, 30, 20));
        const { orgId } = await makeTenant(ctx);
        const shape = {
          name: 'H',
          scope: 'org',
          metric: 'cost_usd',
          threshold: 10,
          enforce: 'hard',
        } as const;
        const budget = await createBudget(ctx, orgId, { ...shape, ...fields, timezone: 'Europe/Berlin' });
        const open: { id: string; cents: number }[] = [];
        for (const [at, { kind, cents, waitMs }] of steps.entries()) {
          clock.advance(waitMs);
          if (kind === 'reserve') {
            const caller = { orgId, userId: 'ada', projectId: 'apollo' };
            const reservation = await reserveInBudgets(ctx, caller, {
              estimateNusd: cents * 1e7,
              ttlS: 3_600,
              by: { keyId: 'key', isBound: false },
              key: null,
            });
            if (reservation.id !== null) open.push({ id: reservation.id, cents });
          }
          const settled = kind === 'settle' ? open.shift() : undefined;
          if (settled)
            await recordSignals(ctx, senderOf(orgId), [
              {
                id: `s${at}`,
                ts: new Date(clock.now()).toISOString(),
                adapter: 'test',
                user_id: 'ada',
                cost_usd: settled.cents / 100,
                reservation_id: settled.id,
              },
            ]);
          const { current } = await readBudget(ctx, orgId, budget._id);
          const held = open.reduce((sum, one) => sum + one.cents, 0) / 100;
          // A quarter begins with nothing, and what was reserved before belongs to the one before.
          if (fields.window !== 'quarterly') expect(current + held).toBeLessThanOrEqual(10.000001);
          else expect(current).toBeLessThanOrEqual(10.000001 + held);
        }
      },
    ),
    { numRuns: 25 },
  );
});
