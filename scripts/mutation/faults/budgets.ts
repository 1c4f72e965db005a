import type { Fault } from '../fault.ts';

const ENFORCEMENT = 'shared/enforcement';
const JUDGE = ['test/shared/enforcement/judge.test.ts'];
const CHECKS = ['test/api/budget-checks.test.ts', 'test/drills/budget-checks.test.ts'];
const VISIBILITY = ['test/abuse/budget-views.test.ts'];
const RESERVATIONS = ['test/api/reservations.test.ts'];

export const BUDGET_FAULTS: readonly Fault[] = [
  {
    what: 'a soft budget refuses',
    file: `${ENFORCEMENT}/judge.ts`,
    text: "if (budget.enforce !== 'hard') return null;",
    replacement: "if (budget.enforce === 'none') return null;",
    tests: JUDGE,
  },
  {
    what: 'a check refuses what just fits',
    file: `${ENFORCEMENT}/judge.ts`,
    text: 'current + reserved + estimate > budget.limit',
    replacement: 'current + reserved + estimate >= budget.limit',
    tests: JUDGE,
  },
  {
    what: 'old amounts decide a check',
    file: `${ENFORCEMENT}/judge.ts`,
    text: 'if (!known.isUsageFresh) return blind;',
    replacement: '',
    tests: JUDGE,
  },
  {
    what: 'reservations that are not known fill nothing',
    file: `${ENFORCEMENT}/judge.ts`,
    text: 'if (!known.areReservationsFresh) return blind;',
    replacement: '',
    tests: JUDGE,
  },
  {
    what: 'a key sees budgets without the scope to read usage',
    file: 'shared/budgets/visible.ts',
    text: "return scopes.includes('usage:read');",
    replacement: 'return scopes.length > 0;',
    tests: VISIBILITY,
  },
  {
    what: 'a bound key sees the budgets of projects',
    file: 'shared/budgets/visible.ts',
    text: "return scope === 'user' && scope_id === userId;",
    replacement: "return scope === 'project' || scope_id === userId;",
    tests: VISIBILITY,
  },
  {
    what: 'a bound key asks for another user',
    file: 'api/schemas/call.ts',
    text: 'userId !== null && user_id !== undefined && user_id !== userId',
    replacement: 'false',
    tests: CHECKS,
  },
  {
    what: 'what is remembered is never read again',
    file: 'shared/platform/context/remember.ts',
    text: 'else if (entry.reading === null) beginReading(state, key, entry);',
    replacement: '',
    tests: CHECKS,
  },
  {
    what: 'a reservation takes no room',
    file: `${ENFORCEMENT}/reserve.lua`,
    text: 'write_held(held)',
    replacement: '',
    tests: RESERVATIONS,
  },
  {
    what: 'a reservation is taken out before its cost is in the amounts',
    file: `${ENFORCEMENT}/reserve.lua`,
    text: 'full = first_full(sum_ended(now, is_included))',
    replacement: 'full = first_full(sum_ended(now, function() return true end))',
    tests: RESERVATIONS,
  },
  {
    what: 'an ended reservation refuses for as long as the amounts are older',
    file: `${ENFORCEMENT}/reserve.lua`,
    text: "if later[ARGV[full]] and ARGV[8] == '' then return { 'stale', now } end",
    replacement: '',
    tests: RESERVATIONS,
  },
  {
    what: 'a reservation does not wait for replicas',
    file: `${ENFORCEMENT}/reserve.ts`,
    text: 'await untilReplicated(ctx, reservationKeys(orgId).replicated);',
    replacement: 'void untilReplicated && reservationKeys;',
    tests: ['test/drills/cluster.test.ts'],
  },
  {
    what: 'an alert of a per cent is told again',
    file: 'shared/budgets/send-alerts.ts',
    text: 'return [alert.webhookId, alert.budget._id, alert.interval.startMs, aboutOf(alert)];',
    replacement: 'return [alert.webhookId, alert.budget._id, alert.current, aboutOf(alert)];',
    tests: ['test/shared/budgets/alerts.test.ts'],
  },
  {
    what: 'two workers tell the same alert',
    file: 'shared/budgets/send-alerts.ts',
    text: 'insertRow(budgetAlertRows, rowOf(alert, eventIdOf(event), nowMs)),',
    replacement:
      'insertRow(budgetAlertRows, { ...rowOf(alert, eventIdOf(event), nowMs), _id: eventIdOf(event) }),',
    tests: ['test/shared/budgets/alerts.test.ts'],
  },
  {
    what: 'a signal settles nothing',
    file: `${ENFORCEMENT}/settle.lua`,
    text: 'end_now(ARGV[index], now)',
    replacement: '',
    tests: RESERVATIONS,
  },
  {
    what: 'what an emptied Redis has lost is free again',
    file: `${ENFORCEMENT}/open-reservations.ts`,
    text: 'look.seq < mark.seq',
    replacement: 'look.seq > mark.seq',
    tests: RESERVATIONS,
  },
  {
    what: 'a displaced Redis goes on',
    file: `${ENFORCEMENT}/refresh-standings.ts`,
    text: 'mark.epoch !== look.identity',
    replacement: "mark.epoch === ''",
    tests: RESERVATIONS,
  },
  {
    what: 'a recount forgets windows that are over',
    file: 'shared/budgets/recount.ts',
    text: 'window_end: { $gt: dateAt(sinceMs) },',
    replacement: '',
    tests: ['test/api/budget-history.test.ts'],
  },
  {
    what: 'what a new member had used fires in a window that is over',
    file: 'shared/budgets/recount-teams.ts',
    text: '...planHistory(budget, windows, before, nowMs),',
    replacement: '',
    tests: ['test/shared/budgets/evaluate-due.test.ts'],
  },
  {
    what: 'a new member silences what late signals have reached',
    file: 'shared/budgets/plan-history.ts',
    text: '!known.includes(level)',
    replacement: 'known.length >= 0 || level',
    tests: ['test/shared/budgets/evaluate-due.test.ts'],
  },
  {
    what: 'a threshold with a fraction stops all evaluations',
    file: 'shared/budgets/evaluate.ts',
    text: 'if (!Number.isInteger(limit)) return current * denominator >= limit * numerator;',
    replacement: '',
    tests: ['test/shared/budgets/evaluate-due.test.ts'],
  },
  {
    what: "the budget that is removed takes another one's windows along",
    file: 'shared/budgets/change-budgets.ts',
    text: 'return isShared ? [] : [deleteRows(',
    replacement: 'return isShared && all.length === 0 ? [] : [deleteRows(',
    tests: ['test/shared/budgets/recount.test.ts'],
  },
  {
    what: 'a clock that is behind loses what the new window has',
    file: 'shared/budgets/recount.ts',
    text: 'ctx.clock.now() + CLOCK_LAG_MS + ',
    replacement: 'ctx.clock.now() + 0 * CLOCK_LAG_MS + ',
    tests: ['test/shared/budgets/recount.test.ts'],
  },
];
