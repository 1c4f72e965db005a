import type { Fault } from '../fault.ts';

const TESTS = ['test/shared/analytics', 'test/api/analytics.test.ts', 'test/laws/analytics-attack.test.ts'];
/** Of what arrives late. */
const LATE = [...TESTS, 'test/laws/analytics-probing.test.ts'];

export const ANALYTICS_FAULTS: readonly Fault[] = [
  {
    what: 'one user fewer than k is shown',
    file: 'shared/analytics/suppress.ts',
    text: 'countActive(counted) >= k &&',
    replacement: 'countActive(counted) >= k - 1 &&',
    tests: TESTS,
  },
  {
    what: 'users without a signal count towards k',
    file: 'shared/analytics/suppress.ts',
    text: 'return users.filter((user) => user.signals > 0 && !user.isPooled).length;',
    replacement: 'return users.filter((user) => !user.isPooled).length;',
    tests: TESTS,
  },
  {
    what: 'a single large user is shown',
    file: 'shared/analytics/suppress.ts',
    text: '(sum - largest - second) * 100',
    replacement: '(sum - largest) * 100',
    tests: TESTS,
  },
  {
    what: 'one hidden value is what the total lacks',
    file: 'shared/analytics/suppress.ts',
    text: 'while (shown.length > 0 && hidden.length > 0 && !mayBeShown(hidden, k)) {',
    replacement: 'while (false) {',
    tests: TESTS,
  },
  {
    what: 'hidden values together may be one user',
    file: 'shared/analytics/suppress.ts',
    text: 'while (shown.length > 0 && hidden.length > 0 && !mayBeShown(hidden, k)) {',
    replacement: 'while (shown.length > 0 && hidden.length === 1) {',
    tests: TESTS,
  },
  {
    what: 'a week may begin on any day',
    file: 'shared/analytics/weeks.ts',
    text: 'if (mondayAtOrBefore(organization, atMs) !== atMs) {',
    replacement: 'if (false) {',
    tests: TESTS,
  },
  {
    what: 'the week that runs is told',
    file: 'shared/analytics/weeks.ts',
    text: 'if (toMs > thisWeekMs) {',
    replacement: 'if (false) {',
    tests: TESTS,
  },
  {
    what: 'an organization may set k below the floor',
    file: 'shared/analytics/suppress.ts',
    text: 'return Math.max(K_ANONYMITY_FLOOR, k_anonymity);',
    replacement: 'return k_anonymity;',
    tests: TESTS,
  },
  {
    what: "the median is somebody's own figure",
    file: 'shared/analytics/median.ts',
    text: 'return Number((mean / 1e9).toPrecision(2));',
    replacement: 'return mean / 1e9;',
    tests: TESTS,
  },
  {
    what: 'a week is told before a day has passed',
    file: 'shared/analytics/weeks.ts',
    text: 'export const FROZEN_AFTER_MS = 24 * 3_600_000;',
    replacement: 'export const FROZEN_AFTER_MS = 0;',
    tests: LATE,
  },
  {
    what: 'a late part of fewer than k users is judged',
    file: 'shared/analytics/judge-late.ts',
    text: 'if (users < frozen.judged_users + k)',
    replacement: 'if (users < frozen.judged_users + 1)',
    tests: LATE,
  },
  {
    what: 'a late part that was refused is judged with each signal',
    file: 'shared/analytics/freeze-week.ts',
    text: '{ ...known, judged_users: decision.users }',
    replacement: '{ ...known, judged_users: 0 }',
    tests: LATE,
  },
  {
    what: 'a late part tells of one user under a value that was shown',
    file: 'shared/analytics/judge-late.ts',
    text: '(isSilent || late.every((cell) => mayBeShown([cell], k)))',
    replacement: 'true',
    tests: LATE,
  },
  {
    what: 'who changes teams changes the past',
    file: 'shared/analytics/people.ts',
    text: 'known.get(user)?.team ?? now.teamOf(user)',
    replacement: 'now.teamOf(user)',
    tests: LATE,
  },
  {
    what: 'users who are no members count towards k',
    file: 'shared/analytics/suppress.ts',
    text: 'const counted = users.filter((user) => !user.isPooled);',
    replacement: 'const counted = users.map((user) => ({ ...user, isPooled: false }));',
    tests: LATE,
  },
  {
    what: 'the p % rule takes invented users for real ones',
    file: 'shared/analytics/suppress.ts',
    text: 'counted.length === users.length ? [users] : [users, counted]',
    replacement: '[users]',
    tests: LATE,
  },
];
