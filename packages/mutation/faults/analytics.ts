import { type Fault, faultsIn } from '../fault.ts';

const TESTS = [
  'test/shared/wings/analytics',
  'test/api/analytics.test.ts',
  'test/laws/analytics-attack.test.ts',
];

export const ANALYTICS_FAULTS: readonly Fault[] = [
  ...faultsIn('shared/wings/analytics/suppress.ts', TESTS, [
    {
      what: 'one user fewer than k is shown',
      text: 'countActive(counted) >= k &&',
      replacement: 'countActive(counted) >= k - 1 &&',
    },
    {
      what: 'hidden values together may be one user',
      text: 'if (hidden.length === 0 || isSafe([...together.values()], k)) break;',
      replacement: 'if (hidden.length !== 1) break;',
    },
    {
      what: 'an organization may set k below the floor',
      text: 'return Math.max(K_ANONYMITY_FLOOR, k_anonymity);',
      replacement: 'return k_anonymity;',
    },
    {
      what: 'users who are no members count towards k',
      text: 'const counted = users.filter((user) => !user.isOther);',
      replacement: 'const counted = users.map((user) => ({ ...user, isOther: false }));',
    },
  ]),
  ...faultsIn('shared/wings/analytics/weeks.ts', TESTS, [
    {
      what: 'a week is told before a day has passed',
      text: 'const FROZEN_AFTER_MS = 24 * 3_600_000;',
      replacement: 'const FROZEN_AFTER_MS = 0;',
    },
    {
      what: 'the week of the first signal is not frozen',
      text: 'const fromMs = mondayAtOrBefore(organization, sinceMs);',
      replacement: "const fromMs = nextStart(organization.timezones, 'week', sinceMs);",
      tests: ['test/shared/wings/analytics/freeze-week.test.ts'],
    },
  ]),
  {
    what: "the median is somebody's own figure",
    file: 'shared/wings/analytics/cell-sums.ts',
    text: 'return Number((mean / 1e9).toPrecision(2));',
    replacement: 'return mean / 1e9;',
    tests: TESTS,
  },
  ...faultsIn('shared/wings/analytics/decide-late.ts', TESTS, [
    {
      what: 'a late part of fewer than k users is judged',
      text: 'if (users < frozen.judged_users + k)',
      replacement: 'if (users < frozen.judged_users + 1)',
    },
    {
      what: 'a late part tells of one user under a value that was shown',
      text: '(isSilent || late.every((cell) => mayBeShown([cell], k)))',
      replacement: 'true',
    },
  ]),
  ...faultsIn('shared/wings/analytics/freeze-week.ts', TESTS, [
    {
      what: 'a late part that was refused is judged with each signal',
      text: '{ ...known, judged_users: decision.users }',
      replacement: '{ ...known, judged_users: 0 }',
    },
    {
      what: 'what arrives late for a frozen week is never judged',
      text: 'if (frozen?.seen_sums === sums) return nothing;',
      replacement: 'if (frozen) return nothing;',
      tests: ['test/api/analytics.test.ts'],
    },
    {
      what: 'the hours of a week are frozen from the quarter hours that are left',
      text: 'if (week.fromMs < quarterHorizonMs(ctx.clock.now())) return all;',
      replacement: 'if (week.toMs < quarterHorizonMs(ctx.clock.now())) return all;',
      tests: ['test/shared/wings/analytics/freeze-week.test.ts'],
    },
  ]),
  ...faultsIn('shared/wings/analytics/people.ts', TESTS, [
    {
      what: 'who changes teams changes the past',
      text: 'known.get(user)?.team ?? now.teamOf(user)',
      replacement: 'now.teamOf(user)',
    },
    {
      what: 'a member who left in the middle of a week is no member of it',
      text: 'removed_at.getTime() > week.fromMs',
      replacement: 'removed_at.getTime() > week.toMs',
      tests: ['test/shared/wings/analytics/people.test.ts'],
    },
  ]),
  ...faultsIn(
    'shared/wings/analytics/freeze-weeks.ts',
    ['test/shared/wings/analytics/freeze-week.test.ts'],
    [
      {
        what: 'a week that nobody froze in time is never frozen',
        text: 'week.toMs <= lateSinceMs && frozenIds.has(weekKey(organization._id, week.fromMs))',
        replacement: 'week.toMs <= lateSinceMs && frozenIds.size >= 0',
      },
      {
        what: 'a week that fails stops the later ones',
        text: 'failures.push(error);',
        replacement: 'throw error;',
      },
    ],
  ),
  ...faultsIn(
    'shared/core/calls/usage/snapshots.ts',
    ['test/shared/core/calls/usage/snapshots.test.ts'],
    [
      {
        what: 'a late signal of a process whose clock is behind is not in the snapshot',
        text: '>= -CLOCK_LAG_MS',
        replacement: '>= MARKED_AFTER_MS + 0 * CLOCK_LAG_MS',
      },
      {
        what: 'a snapshot is never read again',
        text: 'if (known?.version === version)',
        replacement: 'if (known)',
      },
    ],
  ),
  {
    what: 'the cells of a week go into one document, however many they are',
    file: 'shared/wings/analytics/frozen-cells.ts',
    text: 'if (bytes + own > MOST_BYTES) {',
    replacement: 'if (bytes > 1_000 * MOST_BYTES) {',
    tests: ['test/shared/wings/analytics/freeze-week.test.ts'],
  },
  {
    what: 'of the cells of a week the first part is read alone',
    file: 'shared/wings/analytics/read-frozen.ts',
    text: '{ length: dimensions[dimension]?.parts ?? 0 }',
    replacement: '{ length: Math.min(1, dimensions[dimension]?.parts ?? 0) }',
    tests: ['test/shared/wings/analytics/freeze-week.test.ts'],
  },
  ...faultsIn(
    'shared/wings/analytics/read-analytics.ts',
    ['test/api/analytics.test.ts'],
    [
      {
        what: 'a week before the first signal is pending for ever',
        text: 'if (!head && week.toMs > firstSignalMs(organization))',
        replacement: 'if (!head && week.toMs > 0 * firstSignalMs(organization))',
        tests: ['test/shared/wings/analytics/freeze-week.test.ts'],
      },
      {
        what: 'a hidden value is shown',
        text: 'addWeek(sums, users, hidden.has(value));',
        replacement: 'addWeek(sums, users, hidden.has(value) && hidden.size === 0);',
      },
    ],
  ),
  {
    what: 'a day is summed up while it goes on',
    file: 'shared/core/calls/usage/make-snapshots.ts',
    text: '.filter((part) => mayBeMade(part, nowMs));',
    replacement: '.filter((part) => mayBeMade(part, nowMs + DAY_MS));',
    tests: ['test/shared/core/calls/usage/snapshots.test.ts'],
  },
  {
    what: 'the totals of a day are never read again',
    file: 'shared/core/calls/usage/read-totals.ts',
    text: 'if (known?.version === version) return known.cells;',
    replacement: 'if (known) return known.cells;',
    tests: ['test/shared/core/calls/usage/snapshots.test.ts'],
  },
  ...faultsIn(
    'shared/core/calls/usage/reconcile-usage.ts',
    [
      'test/shared/core/calls/usage/snapshots.test.ts',
      'test/shared/core/calls/usage/reconcile-usage.test.ts',
    ],
    [
      {
        what: 'a repair takes purged signals for lost ones',
        text: '&& signalsIn(summed) < signalsIn(there);',
        replacement: '&& signalsIn(summed) < 0 * signalsIn(there);',
        tests: ['test/shared/core/calls/usage/reconcile-usage.test.ts'],
      },
      {
        what: 'a repair leaves the snapshot of its day',
        text: 'planStaleSnapshots(organization, [part.fromMs], nowMs)',
        replacement: 'planStaleSnapshots(organization, [], nowMs)',
      },
      {
        what: 'a snapshot that is wrong is reported and stays',
        text: 'repair ? [...writes, ...marks] : []',
        replacement: 'repair ? writes : []',
      },
    ],
  ),
  {
    what: 'a day is cut by quarter hours that are gone',
    file: 'shared/core/calls/usage/split-range.ts',
    text: 'part.fromMs >= quarterHorizonMs(nowMs)',
    replacement: 'part.fromMs >= 0 * quarterHorizonMs(nowMs)',
    tests: ['test/shared/core/calls/usage/split-range.test.ts'],
  },
];
