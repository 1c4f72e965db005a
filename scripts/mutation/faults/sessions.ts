import type { Fault } from '../fault.ts';

const ASSIGN = ['test/shared/sessions'];
const LATE = 'test/shared/ingest/late-signals.test.ts';
const SIGNALS = ['test/api/signals.test.ts', 'test/api/sessions.test.ts', LATE];
const VALUES = ['test/shared/ingest/count-values.test.ts'];
const DUE = ['test/shared/platform/due/due.test.ts'];
const ENDS = ['test/workers/close-session.test.ts', 'test/api/sessions.test.ts'];

export const SESSION_FAULTS: readonly Fault[] = [
  {
    what: 'a gap that equals the timeout cuts a session',
    file: 'shared/sessions/assign.ts',
    text: 'distance <= timeoutMs && !(session',
    replacement: 'distance < timeoutMs && !(session',
    tests: ASSIGN,
  },
  {
    what: 'a closed session takes later signals',
    file: 'shared/sessions/assign.ts',
    text: "&& !(session.end_reason === 'closed' && ts > session.ended_at.getTime());",
    replacement: ';',
    tests: [...ASSIGN, ...SIGNALS],
  },
  {
    what: 'a signal joins the first session that holds it, not the nearer one',
    file: 'shared/sessions/assign.ts',
    text: 'if (fits && distance <= bestDistance) {',
    replacement: 'if (fits && !best) {',
    tests: ASSIGN,
  },
  {
    what: 'a late signal does not find the long session that it lies in',
    file: 'shared/sessions/find-reachable.ts',
    text: 'return [...(await findLastBefore(ctx, newest, reachMs, transaction)), ...after];',
    replacement: 'void findLastBefore;\n  return after;',
    tests: SIGNALS,
  },
  {
    what: 'two sessions of a key are open',
    file: 'shared/sessions/assign.ts',
    text: 'if (!superseded && !bornPast) continue;',
    replacement: 'if (!bornPast) continue;',
    tests: [...ASSIGN, ...SIGNALS],
  },
  {
    what: 'a session that is born past its timeout stays open',
    file: 'shared/sessions/assign.ts',
    text: 'if (!superseded && !bornPast) continue;',
    replacement: 'if (!superseded) continue;',
    tests: [...ASSIGN, ...SIGNALS],
  },
  {
    what: 'an ended session goes on with the idle gap',
    file: 'shared/sessions/silence.ts',
    text: 'return last_activity_at.getTime() + timeoutMs + 1;',
    replacement: 'return last_activity_at.getTime() + timeoutMs;',
    tests: [...ASSIGN, ...ENDS],
  },
  {
    what: 'a signal without a price costs nothing and is not counted as unpriced',
    file: 'shared/sessions/assign.ts',
    text: 'session.unpriced_signals += signal.cost_nusd === null ? 1 : 0;',
    replacement: '',
    tests: [...ASSIGN, ...SIGNALS],
  },
  {
    what: 'the last of equal models is the main one',
    file: 'shared/sessions/assign.ts',
    text: 'session.model_tokens.find((entry) => entry.tokens === most)',
    replacement: 'session.model_tokens.findLast((entry) => entry.tokens === most)',
    tests: [...ASSIGN, ...SIGNALS],
  },
  {
    what: 'models are not in the order of their first use',
    file: 'shared/sessions/assign.ts',
    text: 'if (at < known.first_at) known.first_at = at;',
    replacement: '',
    tests: [...ASSIGN, ...SIGNALS],
  },
  {
    what: 'a worker goes by a clock that is wrong',
    file: 'workers/run-while-clock-is-right.ts',
    text: 'const isRight = Math.abs(skewMs) <= CLOCK_TOLERANCE_MS;',
    replacement: 'const isRight = Math.abs(skewMs) >= 0 * CLOCK_TOLERANCE_MS;',
    tests: ['test/workers/run-while-clock-is-right.test.ts'],
  },
  {
    what: 'a store that shows no time stops a worker',
    file: 'shared/platform/context/clock-skew.ts',
    text: ' || !Number.isFinite(shownMs)',
    replacement: '',
    tests: ['test/workers/run-while-clock-is-right.test.ts'],
  },
  {
    what: 'a worker that starts while Redis is away stays idle',
    file: 'shared/platform/redis/connect.ts',
    text: 'connectTimeout: 2_000,',
    replacement: 'connectTimeout: 2_000,\n    lazyConnect: true,',
    tests: ['test/workers/redis-away.test.ts'],
  },
  {
    what: 'one store with a wrong clock makes a worker wrong',
    file: 'shared/platform/context/clock-skew.ts',
    text: 'Math.abs(a) - Math.abs(b)',
    replacement: 'Math.abs(b) - Math.abs(a)',
    tests: ['test/workers/run-while-clock-is-right.test.ts'],
  },
  {
    what: 'a session ends while it is still active',
    file: 'shared/ingest/end-session.ts',
    text: 'if (!isPastTimeout(session, timeoutMs, ctx.clock.now())) {',
    replacement: 'if (false) {',
    tests: ENDS,
  },
  {
    what: 'a session of another organization can be closed',
    file: 'shared/ingest/end-session.ts',
    text: 'if (session?.org_id !== owner.orgId || (owner.userId',
    replacement: 'if (!session || (owner.userId',
    tests: SIGNALS,
  },
  {
    what: 'closing twice moves the end',
    file: 'shared/ingest/end-session.ts',
    text: "if (session.state === 'ended') return { writes: [], wakeUps: [], result: session };\n    const closedMs",
    replacement: 'const closedMs',
    tests: SIGNALS,
  },
  {
    what: 'the due row of an ended session stays',
    file: 'shared/sessions/plan-sessions.ts',
    text: 'if (wasOpen && !isOpen) return { writes: [clearDue(endSessionJob, after.key)], wakeUps: [] };',
    replacement: '',
    tests: [...ENDS, ...SIGNALS],
  },
  {
    what: 'the first of two workers lets go of what the second has claimed',
    file: 'shared/platform/due/claim-due.ts',
    text: 'return deleteRows(dueRows, { _id, claim_id });',
    replacement: 'void claim_id;\n  return deleteRows(dueRows, { _id });',
    tests: DUE,
  },
  {
    what: 'an organization may report any number of users a day',
    file: 'shared/ingest/count-values.ts',
    text: 'if (field) excess.set(draft, field);',
    replacement: 'if (!field) excess.clear();',
    tests: VALUES,
  },
  {
    what: 'a process refuses the users that another has counted',
    file: 'shared/ingest/count-values.ts',
    text: 'if (known.has(key)) excess.delete(draft);',
    replacement: 'if (known.has(key + key)) excess.delete(draft);',
    tests: VALUES,
  },
  {
    what: 'distinct values are counted again with every signal',
    file: 'shared/ingest/count-values.ts',
    text: 'if (value === null || seen?.[field].has(value)) continue;',
    replacement: 'if (value === null) continue;',
    tests: VALUES,
  },
  {
    what: 'the distinct values of yesterday count today',
    file: 'shared/ingest/count-values.ts',
    text: 'valuesKey(orgId, seen.day, field)',
    replacement: "valuesKey(orgId, 'ever', field)",
    tests: VALUES,
  },
];
