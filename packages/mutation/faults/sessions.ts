import { type Fault, faultsIn } from '../fault.ts';

const ASSIGN = ['test/shared/core/calls/sessions'];
const LATE = 'test/shared/core/calls/ingest/late-signals.test.ts';
const SIGNALS = ['test/api/signals.test.ts', 'test/api/sessions.test.ts', LATE];
const VALUES = ['test/shared/core/calls/ingest/count-values.test.ts'];
const DUE = ['test/shared/platform/due/due.test.ts'];
const ENDS = ['test/workers/close-session.test.ts', 'test/api/sessions.test.ts'];

export const SESSION_FAULTS: readonly Fault[] = [
  ...faultsIn(
    'shared/core/calls/sessions/assign.ts',
    [...ASSIGN, ...SIGNALS],
    [
      {
        what: 'a signal leaps over a closed session to an older one',
        text: 'if (session.ended_at.getTime() < ts) break;',
        replacement: 'if (session.ended_at.getTime() < ts && distance > timeoutMs) break;',
        tests: ASSIGN,
      },
      {
        what: 'a signal joins the first session that holds it, not the nearer one',
        text: 'if (fits && distance <= bestDistance) {',
        replacement: 'if (fits && !best) {',
        tests: ASSIGN,
      },
      {
        what: 'an ended session that reaches further on meets no new session in the gap after it',
        text: "(before.state === 'ended' && before.ended_at.getTime() !== after.ended_at.getTime()),",
        replacement: 'false,',
        tests: [LATE],
      },
      {
        what: 'the last of equal models is the main one',
        text: 'session.model_tokens.find(({ tokens }) => tokens === most)',
        replacement: 'session.model_tokens.findLast(({ tokens }) => tokens === most)',
      },
      {
        what: 'a late signal that prolongs an ended session meets no other',
        text: "(before.state === 'ended' && before.ended_at.getTime() !== after.ended_at.getTime()),",
        replacement: 'before.state === null,',
        tests: ['test/shared/core/calls/ingest/late-signals.test.ts'],
      },
    ],
  ),
  ...faultsIn(
    'shared/core/calls/sessions/assign-by-key.ts',
    [LATE],
    [
      {
        what: 'a late signal does not find the long session that it lies in',
        text: 'const isLastKnown = near.some(({ started_at }) => started_at.getTime() < reachMs);',
        replacement: 'const isLastKnown = true;',
      },
      {
        what: 'a late signal does not find the session that has lasted for months',
        text: '{ $lt: dateAt(lookMs) }',
        replacement: '{ $gte: dateAt(lookMs - 70 * DAY_MS), $lt: dateAt(lookMs) }',
      },
      {
        what: 'a signal just before the newest session looks at no older one',
        text: 'if (earliestMs >= newest.started_at.getTime()) return [newest];',
        replacement: 'if (earliestMs >= newest.started_at.getTime() - timeoutMs) return [newest];',
        tests: ['test/shared/core/calls/ingest/late-signals.test.ts'],
      },
    ],
  ),
  {
    what: 'a worker goes by a clock that is wrong',
    file: 'workers/run-while-clock-is-right.ts',
    text: 'const isRight = Math.abs(skewMs) <= CLOCK_TOLERANCE_MS;',
    replacement: 'const isRight = Math.abs(skewMs) >= 0 * CLOCK_TOLERANCE_MS;',
    tests: ['test/workers/run-while-clock-is-right.test.ts'],
  },
  {
    what: 'a worker that starts while Redis is away stays idle',
    file: 'shared/platform/redis/connect.ts',
    text: 'connectTimeout: 2_000,',
    replacement: 'connectTimeout: 2_000,\n    lazyConnect: true,',
    tests: ['test/workers/redis-away.test.ts'],
  },
  ...faultsIn(
    'shared/core/calls/ingest/end-session.ts',
    ['test/workers/close-session.test.ts'],
    [
      {
        what: 'a session ends while it is still active',
        text: '} else if (isPastTimeout(session, timeoutMs, ctx.clock.now())) {',
        replacement: '} else if (timeoutMs > 0) {',
        tests: ENDS,
      },
    ],
  ),
  ...faultsIn(
    'shared/core/calls/ingest/decide-batch.ts',
    ['test/shared/core/calls/ingest/commands.test.ts'],
    [
      {
        what: 'a process refuses the users that another has counted',
        text: "newest.has(keys.get(draft) ?? '')",
        replacement: "newest.has('')",
        tests: VALUES,
      },
    ],
  ),
  {
    what: 'history younger than the session timeout raises no events',
    file: 'shared/core/calls/ingest/ask-wings.ts',
    text: 'nowMs - timeoutMs - PAST_MS',
    replacement: 'nowMs - 0 * timeoutMs - PAST_MS',
    tests: ['test/shared/core/calls/ingest/limits.test.ts'],
  },
  {
    what: 'the first of two workers lets go of what the second has claimed',
    file: 'shared/platform/due/claim-due.ts',
    text: 'return deleteRows(dueRows, ownRow(claim));',
    replacement: 'return deleteRows(dueRows, { _id: claim._id });',
    tests: DUE,
  },
  ...faultsIn('shared/core/calls/ingest/count-values.ts', VALUES, [
    {
      what: 'an organization may report any number of users a day',
      text: 'if (first) overLimit.set(draft, first.field);',
      replacement: 'if (first) overLimit.clear();',
    },
    {
      what: 'the distinct values of yesterday count today',
      text: 'valuesKey(orgId, day, field)',
      replacement: "valuesKey(orgId, 'ever', field)",
    },
  ]),
  ...faultsIn(
    'shared/core/calls/adapters/first-enclosing.ts',
    ['test/laws/count-once.test.ts'],
    [
      {
        what: 'spans are compared pair by pair',
        text: 'const middle = (low + high) >> 1;\n      const other',
        replacement: 'const middle = low;\n      const other',
      },
    ],
  ),
  {
    what: 'what always fails is tried as often as before',
    file: 'shared/platform/due/postpone-due.ts',
    text: 'WAIT_MS.growth ** (failures - 1)',
    replacement: 'WAIT_MS.growth ** 0',
    tests: ['test/shared/platform/due/due.test.ts'],
  },
  {
    what: 'a session is looked at for anomalies before its time',
    file: 'shared/wings/anomalies/check-session.ts',
    text: 'if (due.due_at.getTime() > ctx.clock.now()) return',
    replacement: 'if (due.due_at.getTime() > ctx.clock.now() + 86_400_000) return',
    tests: ['test/workers/detect-anomalies.test.ts', 'test/shared/wings/anomalies'],
  },
];
