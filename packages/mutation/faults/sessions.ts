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
        what: 'a gap that equals the timeout cuts a session',
        text: 'distance <= timeoutMs && !(session',
        replacement: 'distance < timeoutMs && !(session',
        tests: ASSIGN,
      },
      {
        what: 'a closed session takes later signals',
        text: "&& !(session.end_reason === 'closed' && ts > session.ended_at.getTime());",
        replacement: ';',
      },
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
        what: 'two sessions of a key are open',
        text: 'if (!superseded && !isBornEnded) continue;',
        replacement: 'if (!isBornEnded) continue;',
      },
      {
        what: 'a session that is born past its timeout stays open',
        text: 'if (!superseded && !isBornEnded) continue;',
        replacement: 'if (!superseded) continue;',
      },
      {
        what: 'an ended session goes on with the idle gap',
        text: 'return last_activity_at.getTime() + timeoutMs + 1;',
        replacement: 'return last_activity_at.getTime() + timeoutMs;',
        tests: [...ASSIGN, ...ENDS],
      },
      {
        what: 'a signal without a price costs nothing and is not counted as unpriced',
        text: 'session.unpriced_signals += signal.cost_nusd === null ? sign : 0;',
        replacement: '',
      },
      {
        what: 'the last of equal models is the main one',
        text: 'session.model_tokens.find(({ tokens }) => tokens === most)',
        replacement: 'session.model_tokens.findLast(({ tokens }) => tokens === most)',
      },
      {
        what: 'models are not in the order of their first use',
        text: 'if (at < known.first_at) known.first_at = at;',
        replacement: '',
      },
      {
        what: 'of two equally near sessions a signal joins the later one',
        text: 'if (fits && distance <= bestDistance) {',
        replacement: 'if (fits && distance < bestDistance) {',
        tests: ['test/shared/core/calls/sessions'],
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
        what: 'a late signal does not find a session one timeout after it',
        text: 'dateAt(latestMs + timeoutMs + 1)',
        replacement: 'dateAt(latestMs + timeoutMs)',
        tests: ['test/shared/core/calls/ingest/late-signals.test.ts'],
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
  ...faultsIn(
    'shared/platform/context/clock-skew.ts',
    ['test/workers/run-while-clock-is-right.test.ts'],
    [
      {
        what: 'a store that shows no time stops a worker',
        text: ' || !Number.isFinite(shownMs)',
        replacement: '',
      },
      {
        what: 'one store with a wrong clock makes a worker wrong',
        text: 'Math.abs(a.skewMs) - Math.abs(b.skewMs)',
        replacement: 'Math.abs(b.skewMs) - Math.abs(a.skewMs)',
      },
    ],
  ),
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
      {
        what: 'a session of another organization can be closed',
        text: '_id: { $in: [...new Set(ids)] }, org_id: orgId }',
        replacement: '_id: { $in: [...new Set(ids)] } }',
        tests: SIGNALS,
      },
      {
        what: 'closing twice moves the end',
        text: "if (session.state === 'ended') return session;",
        replacement: '',
        tests: SIGNALS,
      },
      {
        what: 'a session that is closed by hand ends before its last activity',
        text: 'Math.max(nowMs, session.last_activity_at.getTime())',
        replacement: 'nowMs',
      },
      {
        what: 'an ended session stays due',
        text: 'writes.push(clearDue(endSessionJob, key));',
        replacement: '',
      },
      {
        what: 'a session that was active stays due at its former time',
        text: 'writes.push(...setDue(endSessionJob, { key, orgId, dueMs: notBeforeMs, details }).writes);',
        replacement: '',
      },
      {
        what: 'a close after the silence ends a session by hand',
        text: 'isPast ? endByTimeout : (open) => endByHand(open, nowMs)',
        replacement: '(open) => endByHand(open, nowMs)',
      },
    ],
  ),
  {
    what: 'the due row of an ended session stays',
    file: 'shared/core/calls/sessions/plan-sessions.ts',
    text: 'if (wasOpen && !isOpen) return { writes: [clearDue(endSessionJob, after.key)], wakeUps: [] };',
    replacement: '',
    tests: [...ENDS, ...SIGNALS],
  },
  ...faultsIn(
    'shared/core/calls/ingest/decide-batch.ts',
    ['test/shared/core/calls/ingest/commands.test.ts'],
    [
      {
        what: 'what a key without a session writes is inserted in each attempt',
        text: 'isFirst && !newest.has(keyOf(of))',
        replacement: '!newest.has(keyOf(of))',
      },
      {
        what: 'a process refuses the users that another has counted',
        text: "newest.has(keys.get(draft) ?? '')",
        replacement: "newest.has('')",
        tests: VALUES,
      },
      {
        what: 'history younger than the session timeout raises no events',
        text: 'nowMs - timeoutMs - PAST_MS',
        replacement: 'nowMs - 0 * timeoutMs - PAST_MS',
        tests: ['test/shared/core/calls/ingest/limits.test.ts'],
      },
    ],
  ),
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
      text: 'if (field) overLimit.set(draft, field);',
      replacement: 'if (!field) overLimit.clear();',
    },
    {
      what: 'distinct values are counted again with every signal',
      text: 'if (value === null || isSeen(field, value)) continue;',
      replacement: 'if (value === null) continue;',
    },
    {
      what: 'the distinct values of yesterday count today',
      text: 'valuesKey(orgId, day, field)',
      replacement: "valuesKey(orgId, 'ever', field)",
    },
  ]),
  {
    what: 'one organization takes every place for large bodies',
    file: 'shared/core/calls/adapters/decode.ts',
    text: 'held >= MOST_OF_ONE || ',
    replacement: '',
    tests: ['test/api/otlp.test.ts'],
  },
  {
    what: 'a sync takes an open session for imported until it ends',
    file: 'packages/governor/src/api/first-seen.ts',
    text: "if (state === 'ended') imported.add(id);",
    replacement: 'imported.add(id);',
    tests: ['test/packages/governor/sync.test.ts'],
  },
  ...faultsIn(
    'shared/core/calls/adapters/first-enclosing.ts',
    ['test/laws/count-once.test.ts'],
    [
      {
        what: 'a span that ends with another lies in it',
        text: 'range.ends.largestOf(countBefore(range, startMs, -1)) > endMs',
        replacement: 'range.ends.largestOf(countBefore(range, startMs, -1)) >= endMs',
      },
      {
        what: 'spans are compared pair by pair',
        text: 'const middle = (low + high) >> 1;\n      const other',
        replacement: 'const middle = low;\n      const other',
      },
    ],
  ),
  ...faultsIn(
    'shared/core/calls/adapters/count-once.ts',
    ['test/laws/count-once.test.ts'],
    [
      {
        what: 'a span that repeats one call repeats the next one too',
        text: 'unnested.remove(outer);',
        replacement: '',
      },
      {
        what: 'a call with counts does not repeat one whose counts nobody reported',
        text: 'counts === null ? [ANY] : [counts, [0, counts[1]], null]',
        replacement: 'counts === null ? [ANY] : [counts, [0, counts[1]]]',
      },
      {
        what: 'a call of a model does not repeat one that names none',
        text: 'inner.series === undefined ? [ANY] : [inner.series, null]',
        replacement: 'inner.series === undefined ? [ANY] : [inner.series]',
      },
    ],
  ),
  {
    what: 'a request of Codex with status 400 is no failed call',
    file: 'shared/core/calls/adapters/codex.ts',
    text: 'status >= 400 ||',
    replacement: 'status > 400 ||',
    tests: ['test/shared/core/calls/adapters/adapters.test.ts'],
  },
  ...faultsIn(
    'shared/core/calls/ingest/plan-batch.ts',
    ['test/shared/core/calls/ingest/limits.test.ts'],
    [
      {
        what: 'history ends a session that was told of, and nobody hears of it',
        text: 'if (isPast && before === null) return [];',
        replacement: 'if (isPast) return [];',
      },
      {
        what: 'history is looked at for anomalies',
        text: 'const present = changes.filter((change) => !isPast(change));',
        replacement: 'const present = changes;',
      },
      {
        what: 'a session that a newer one has ended counts as history',
        text: 'touched.has(after._id) && !live.has(after._id)',
        replacement: '!live.has(after._id)',
        tests: ['test/workers/detect-anomalies.test.ts'],
      },
    ],
  ),
  ...faultsIn(
    'shared/core/calls/signals/check-signal.ts',
    ['test/api/signals.test.ts', 'test/abuse/signals.test.ts'],
    [
      {
        what: 'a signal just five minutes ahead is refused',
        text: 'if (signal.ts > nowMs + SIGNAL_AGE_MS.ahead)',
        replacement: 'if (signal.ts >= nowMs + SIGNAL_AGE_MS.ahead)',
      },
      {
        what: 'a signal just 35 days old is refused',
        text: 'if (signal.ts < nowMs - SIGNAL_AGE_MS.behind)',
        replacement: 'if (signal.ts <= nowMs - SIGNAL_AGE_MS.behind)',
      },
    ],
  ),
  ...faultsIn(
    'shared/platform/due/plan-due.ts',
    ['test/shared/platform/due/due.test.ts'],
    [
      {
        what: 'what is raised again writes nothing, and is taken away with its claim',
        text: '$inc: { touches: 1 },',
        replacement: '$inc: { touches: 0 },',
      },
      {
        what: 'what is raised is woken before it is committed',
        text: '(Math.floor(dueMs / COALESCE_MS) + 1) * COALESCE_MS',
        replacement: 'Math.floor(dueMs / COALESCE_MS) * COALESCE_MS',
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
    what: 'a sweep whose clock was set back wakes nothing',
    file: 'shared/platform/due/sweep-due.ts',
    text: 'const fromMs = swept.ms > untilMs ? 0 : swept.ms;',
    replacement: 'const fromMs = swept.ms;',
    tests: ['test/shared/platform/due/due.test.ts', 'test/workers/close-session.test.ts'],
  },
  {
    what: 'a session is looked at for anomalies before its time',
    file: 'shared/wings/anomalies/check-session.ts',
    text: 'if (due.due_at.getTime() > ctx.clock.now()) return',
    replacement: 'if (due.due_at.getTime() > ctx.clock.now() + 86_400_000) return',
    tests: ['test/workers/detect-anomalies.test.ts', 'test/shared/wings/anomalies'],
  },
];
