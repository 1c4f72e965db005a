import { type Fault, faultsIn } from '../fault.ts';

const ENFORCEMENT = 'shared/core/limits/enforcement';
const JUDGE = ['test/shared/core/limits/enforcement/judge.test.ts'];
const CACHE = ['test/shared/platform/context/read-through-cache.test.ts'];
const CHANGES = ['test/api/budget-changes.test.ts'];
const VISIBILITY = ['test/abuse/budget-views.test.ts'];
const RESERVATIONS = ['test/api/reservations.test.ts'];

export const BUDGET_FAULTS: readonly Fault[] = [
  ...faultsIn(`${ENFORCEMENT}/check/judge.ts`, JUDGE, [
    {
      what: 'a soft budget refuses',
      text: "if (budget.enforce !== 'hard') return null;",
      replacement: "if (budget.enforce === 'none') return null;",
    },
  ]),
  ...faultsIn('shared/core/limits/budgets/rules/visible.ts', VISIBILITY, [
    {
      what: 'a key sees budgets without the scope to read usage',
      text: "return scopes.includes('usage:read');",
      replacement: 'return scopes.length > 0;',
    },
    {
      what: 'a bound key sees the budgets of projects',
      text: "return scope === 'user' && scope_id === userId;",
      replacement: "return scope === 'project' || scope_id === userId;",
    },
  ]),
  ...faultsIn('shared/platform/context/read-through-cache.ts', CACHE, [
    {
      what: 'amounts of long ago are fresh',
      text: 'const FRESH_MS = 1_000;',
      replacement: 'const FRESH_MS = 1_000_000;',
    },
    {
      what: 'a check does not wait for a slow read',
      text: 'const PATIENCE_MS = 1_000;',
      replacement: 'const PATIENCE_MS = 10;',
    },
    {
      what: 'what has changed and cannot be read goes on as before',
      text: 'changes.set(key, performance.now());\n        entries.delete(key);',
      replacement: '',
    },
  ]),
  {
    what: 'what reservations held long ago is known',
    file: `${ENFORCEMENT}/state/cached-status.ts`,
    text: 'value.reserved.readMs >= oldestMs',
    replacement: 'oldestMs < Infinity',
    tests: ['test/shared/core/limits/enforcement/cached-status.test.ts'],
  },
  {
    what: 'a change of a budget decides with the next poll',
    file: 'api/schemas/changed-budget.ts',
    text: 'await statusCache(ctx).renew(key.orgId);',
    replacement: 'void statusCache;',
    tests: CHANGES,
  },
  {
    what: 'other processes are not told of a change of a budget',
    file: 'shared/core/limits/budgets/rules/plan-evaluation.ts',
    text: '{ ...wakeUp, publish: orgId }',
    replacement: '{ ...wakeUp }',
    tests: CHANGES,
  },
  ...faultsIn(`${ENFORCEMENT}/state/reserve.lua`, RESERVATIONS, [
    {
      what: 'a reservation takes no room',
      text: 'write_held(now_held)',
      replacement: '',
    },
    {
      what: 'a reservation is taken out before its cost is in the amounts',
      text: 'local found = refusing(sum_ended(now, is_included))',
      replacement: 'local found = refusing(sum_ended(now, function() return true end))',
    },
    {
      what: 'an ended reservation refuses for as long as the amounts are older',
      text: "if later[key] and ARGV[8] == '' then return { 'stale', now } end",
      replacement: '',
    },
    {
      what: 'a person holds all of a budget',
      text: 'elseif budget.share and held_in(budget.share_keys) + amount > budget.share then',
      replacement: 'elseif false then',
      tests: ['test/api/reservation-shares.test.ts'],
    },
  ]),
  {
    what: 'a reservation does not wait for replicas',
    file: `${ENFORCEMENT}/reserve/reserve.ts`,
    text: 'await untilReplicated(ctx, reservationKeys(orgId).replicated);',
    replacement: 'void untilReplicated && reservationKeys;',
    tests: ['test/drills/cluster.test.ts'],
  },
  {
    what: 'an alert is decided by budgets that were read before',
    file: 'shared/core/limits/budgets/fire/send-alerts.ts',
    text: 'const counted = await readAlerted(ctx, rules, unsent, transaction);',
    replacement:
      'const counted = unsent.map(({ budget, interval }) => ({ budget, windows: [{ interval, usage: { cost_nusd: 0, unpriced_signals: 0, tokens_in: 0, tokens_out: 0, signals: 1_000, sessions: 0, errors: 0 } }] }));',
    tests: ['test/shared/core/limits/budgets/alerts.test.ts'],
  },
  ...faultsIn(
    'shared/core/limits/budgets/fire/plan-alerts.ts',
    ['test/shared/core/limits/budgets/alerts.test.ts'],
    [
      {
        what: 'an alert of a per cent is told again',
        text: 'return [webhookId, budget._id, interval.startMs, aboutOf(alert), ...personCause(budget)];',
        replacement:
          'return [webhookId, budget._id, alert.current + interval.startMs, ...personCause(budget)];',
      },
      {
        what: 'two workers tell the same alert',
        text: 'insertRow(budgetAlertRows, rowOf(used, eventIdOf(event), nowMs)),',
        replacement:
          'insertRow(budgetAlertRows, { ...rowOf(used, eventIdOf(event), nowMs), _id: eventIdOf(event) }),',
      },
    ],
  ),
  {
    what: 'a signal settles nothing',
    file: `${ENFORCEMENT}/state/settle.lua`,
    text: 'end_now(ARGV[index], now)',
    replacement: '',
    tests: RESERVATIONS,
  },
  {
    what: 'what was released counts as lost',
    file: `${ENFORCEMENT}/state/reservations.lua`,
    text: "redis.call('HINCRBY', KEYS[1], 'seq', 1)",
    replacement: '',
    tests: RESERVATIONS,
  },
  {
    what: 'a revoked key goes on holding what it reserved',
    file: `${ENFORCEMENT}/state/release-matching.lua`,
    text: 'if matches(reservation) and release(found[index], reservation, now) then count = count + 1 end',
    replacement: '',
    tests: ['test/abuse/reservations.test.ts'],
  },
  {
    what: 'what an emptied Redis has lost is free again',
    file: `${ENFORCEMENT}/state/reservation-state.ts`,
    text: 'found.seq < recorded.seq',
    replacement: 'found.seq > recorded.seq',
    tests: RESERVATIONS,
  },
  {
    what: 'a displaced Redis goes on',
    file: `${ENFORCEMENT}/state/refresh-status.ts`,
    text: 'state.epoch !== found.identity',
    replacement: "state.epoch === ''",
    tests: RESERVATIONS,
  },
  ...faultsIn(
    'shared/core/limits/budgets/count/recount.ts',
    ['test/api/budget-windows.test.ts'],
    [
      {
        what: 'a recount forgets windows that are over',
        text: 'const cleared = { ...key, window_start: { $gte: dateAt(first.startMs) } };',
        replacement: 'const cleared = key;',
      },
      {
        what: 'what a new member had used fires in a window that is over',
        text: 'history.push(...planCountedHistory(ruled, windows, before, nowMs));',
        replacement: 'void [planCountedHistory, ruled];',
        tests: ['test/shared/core/limits/budgets/evaluate-due.test.ts'],
      },
    ],
  ),
  {
    what: 'a new member silences what late signals have reached',
    file: 'shared/core/limits/budgets/count/plan-history.ts',
    text: '!known.includes(level)',
    replacement: 'known.length >= 0 || level',
    tests: ['test/shared/core/limits/budgets/evaluate-due.test.ts'],
  },
  {
    what: "the budget that is removed takes another one's windows along",
    file: 'shared/core/limits/budgets/change/change-budgets.ts',
    text: 'if (isShared) return [];',
    replacement: 'if (isShared && all.length === 0) return [];',
    tests: ['test/shared/core/limits/budgets/recount.test.ts'],
  },
  ...faultsIn(
    'shared/core/limits/budgets/count/count-windows.ts',
    ['test/shared/core/limits/budgets/recount.test.ts'],
    [
      {
        what: 'a clock that is behind loses what the new window has',
        text: 'ctx.clock.now() + CLOCK_LAG_MS + ',
        replacement: 'ctx.clock.now() + 0 * CLOCK_LAG_MS + ',
      },
    ],
  ),
  ...faultsIn(
    'shared/core/accounts/organizations/versions.ts',
    ['test/shared/core/limits/budgets/recount.test.ts', 'test/shared/core/calls/ingest/rule-changes.test.ts'],
    [
      {
        what: 'a changed rule meets the signals of one shard',
        text: 'return ALL_COUNTER_SHARDS.map((shard) => {',
        replacement: 'return ALL_COUNTER_SHARDS.slice(0, 1).map((shard) => {',
      },
    ],
  ),
  {
    what: 'a budget is told to be exceeded before its warning',
    file: 'shared/core/limits/budgets/fire/evaluate-due.ts',
    text: 'const at = dateAt(Math.max(nowMs, warned?.fired_at.getTime() ?? 0));',
    replacement: 'const at = dateAt(nowMs + 0 * (warned?.fired_at.getTime() ?? 0));',
    tests: ['test/shared/core/limits/budgets/evaluate-due.test.ts'],
  },
  {
    what: 'a window holds what one counter shard has',
    file: 'shared/core/limits/budgets/count/read-windows.ts',
    text: 'const SUMS = Object.fromEntries(COUNTED.map((measure) => [measure, { $sum: `$${measure}` }]));',
    replacement:
      'const SUMS = Object.fromEntries(COUNTED.map((measure) => [measure, { $max: `$${measure}` }]));',
    tests: ['test/shared/core/limits/budgets/evaluate-due.test.ts'],
  },
  ...faultsIn(
    'shared/people/change-organization.ts',
    ['test/shared/core/accounts/organizations/change-timezone.test.ts'],
    [
      {
        what: 'a timezone changes days that have signals',
        text: 'const newestMs = nowMs + CLOCK_LAG_MS + SIGNAL_AGE_MS.ahead;',
        replacement: 'const newestMs = nowMs + 0 * CLOCK_LAG_MS * SIGNAL_AGE_MS.ahead;',
      },
    ],
  ),
];
