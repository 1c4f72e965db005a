import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import type { Budget } from '../../shared/core/limits/budgets/rules/model.ts';
import { windowAt } from '../../shared/core/limits/budgets/rules/windows.ts';
import { readBudget } from '../../shared/core/limits/budgets/show/read-budgets.ts';
import { reserveInBudgets } from '../../shared/core/limits/enforcement/reserve/reserve.ts';
import { anyZone } from '../support/calendars.ts';
import { storesFixture } from '../support/fixture.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 9, 26, 10, 20);
const { ctx, clock, tenant } = await storesFixture({ clock: NOW });

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
      anyZone,
      async (signals, rolling_days, timezone) => {
        clock.set(NOW);
        const { orgId, record, budget: make } = await tenant();
        const fields = { metric: 'tokens_in', threshold: 1e9, window: 'rolling', rolling_days } as const;
        const endMs = NOW + 3 * 24 * HOUR;
        const arrivals = signals
          .map(({ agoMs, lateMs, tokens_in }, at) => {
            const tsMs = endMs - agoMs;
            const atMs = Math.min(Math.max(tsMs, NOW - lateMs), tsMs + lateMs);
            return { id: `s${at}`, tsMs, tokens_in, atMs };
          })
          .filter(({ tsMs, atMs }) => tsMs <= atMs && atMs <= endMs)
          .toSorted((a, b) => a.atMs - b.atMs);
        let budget: Budget | null = null;
        let sofarMs = 0;
        for (const dayMs of [NOW, NOW + 24 * HOUR, NOW + 48 * HOUR, endMs]) {
          const due = arrivals.filter(({ atMs }) => atMs > sofarMs && atMs <= dayMs);
          sofarMs = dayMs;
          for (const { id, tsMs, atMs, tokens_in } of due) {
            clock.set(Math.max(atMs, tsMs));
            await record({ id, ts: tsMs, tokens_in });
          }
          clock.set(dayMs);
          budget ??= await make({ ...fields, timezone });
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
        { window: 'monthly' } as const,
        { window: 'quarterly' } as const,
      ),
      async (steps, fields) => {
        clock.set(Date.UTC(2026, 8, 30, 20));
        const { orgId, record, budget: make } = await tenant();
        const budget = await make({ enforce: 'hard', ...fields, timezone: 'Europe/Berlin' });
        const open: { id: string; cents: number }[] = [];
        for (const { kind, cents, waitMs } of steps) {
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
            await record({ ts: clock.now(), cost_usd: settled.cents / 100, reservation_id: settled.id });
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
