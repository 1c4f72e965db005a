import { expect, test } from 'vitest';
import {
  FILTERS,
  type Filters,
  plusDays,
  type Range,
  rangeOf,
  readShared,
} from '../../packages/dashboard/data/range.ts';
import { readSessionSearch } from '../../packages/dashboard/data/session-search.ts';
import {
  allGroups,
  RECOUNTED,
  usageBefore,
  usageChanges,
  usageNow,
  usageTotals,
  workUsage,
} from '../../packages/dashboard/data/usage-questions.ts';
import { budgetConcerns, noticeOf } from '../../packages/dashboard/frame/concerns.ts';
import { costContent } from '../../packages/dashboard/pages/overview/cost-content.ts';
import { costBefore, topOf } from '../../packages/dashboard/pages/overview/top.ts';
import { exceptionOf } from '../../packages/dashboard/parts/budget/exception.ts';
import { sessionsSearch } from '../../packages/dashboard/parts/budget/words.ts';
import { ticksOf } from '../../packages/dashboard/parts/chart/scale.ts';
import { creditsPerDay, paceOf } from '../../packages/dashboard/parts/credits/pace.ts';
import { decisionWords, whereItWent } from '../../packages/dashboard/parts/session/words.ts';
import { changeWords } from '../../packages/dashboard/parts/text/change-words.ts';
import { axisMoney, costWords, percent } from '../../packages/dashboard/parts/text/format.ts';
import { plainName } from '../../packages/dashboard/parts/text/plain-name.ts';
import { quietText, subscriptionText } from '../../packages/dashboard/parts/webhook/words.ts';
import { weeksOf } from '../../packages/dashboard/wings/analytics/weeks.ts';
import { bucketLabel, budgetLabel, dateTime, inWords, latency } from '../../packages/dashboard/words/time.ts';

test.each([0.0003, 0.0176, 0.02, 0.07, 0.3, 1.1, 9, 30, 700, 24_000, 1_100_000])(
  'an axis up to $%d names every line differently',
  (most) => {
    const names = ticksOf(most).map(axisMoney);
    expect(new Set(names).size).toBe(names.length);
  },
);

const MIDNIGHT = Date.UTC(2026, 10, 22, 24);
const WEEK_AGO_S = Date.UTC(2026, 10, 15) / 1_000;

test('the pace of credits counts the hours of today too', () => {
  const spends = Array.from({ length: 16 }, () => ({ delta: -1 }));
  expect(creditsPerDay(spends, WEEK_AGO_S, MIDNIGHT)).toBe(2);
  expect(creditsPerDay([], WEEK_AGO_S, MIDNIGHT)).toBe(0);
});

test.each([
  [[1, 2, 12], false, 3 / 8],
  [[1, 2, 12], true, 6],
  [[], false, 0],
])('the pace of credits that went %j hours ago, and of more than a page shows: %s, is %d', (...of) => {
  const [hours, has_more, pace] = of;
  const at = (hour: number) => ({ delta: -1, created_at: MIDNIGHT / 1_000 - hour * 3_600 });
  expect(paceOf({ transactions: hours.map(at), has_more }, WEEK_AGO_S, MIDNIGHT)).toBe(pace);
});

const tokens = { tokens_in: 9, tokens_out: 9, cache_read_tokens: 0, cache_write_tokens: 0 };
const sums = { sessions: 1, signals: 1, errors: 0, interventions: 0, ...tokens, unpriced_signals: 0 };
/** Usage by model, with costs that fall from $`count` to $1, and the cost of the rest. */
const usageOf = (count: number, rest: number) => ({
  groups: [
    ...Array.from({ length: count }, (_, index) => ({
      ...sums,
      key: { model: `model-${index}` },
      cost_usd: count - index,
    })),
    ...(rest > 0 ? [{ ...sums, key: null, rest: true as const, cost_usd: rest }] : []),
  ],
});

test.each([0, 1, 4, 5, 6, 12].flatMap((count) => [0, 7].map((rest) => [count, rest] as const)))(
  'the top of %i values and a rest of $%i names five, and is the whole together with the others',
  (count, rest) => {
    const usage = usageOf(count, rest);
    const top = topOf(usage, 'model');
    const whole = usage.groups.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
    expect(top.reduce((sum, { cost }) => sum + cost, 0)).toBe(whole);
    const named = usage.groups.slice(0, Math.min(count, 5)).map(({ key }) => key?.model);
    expect(top.map(({ name }) => name)).toEqual([...named, ...(count > 5 || rest > 0 ? [null] : [])]);
  },
);

test('the top says of how many calls of each value, and of the others, no price is known', () => {
  const { groups } = usageOf(6, 7);
  const usage = { groups: groups.map((group, at) => ({ ...group, unpriced_signals: at })) };
  const others = { value: null, name: null, cost: 1 + 7, unpriced: 5 + 6 };
  const named = [0, 1, 2, 3, 4].map((at) => {
    const name = `model-${at}`;
    return { value: name, name, cost: 6 - at, unpriced: at };
  });
  expect(topOf(usage, 'model')).toEqual([...named, others]);
});

test.each([
  [0, 0, '$0.00'],
  [4.2, 0, '$4.20'],
  [4.2, 1, '≥ $4.20'],
  [0, 3, 'no price'],
])('a cost of $%d and %i calls without a price are told as %s', (cost_usd, unpriced_signals, words) => {
  expect(costWords({ cost_usd, unpriced_signals })).toBe(words);
});

test.each([
  ['0', 0, 'This session cost nothing.'],
  ['0', 3, 'The cost of this session is not known: 3 calls have no known price.'],
  ['4.2', 0, '3 calls of gpt-5 took 100 % of $4.20.'],
  ['4.2', 1, '3 calls of gpt-5 took 100 % of $4.20. 1 call has no known price and counts as nothing.'],
])('a session of $%s with %i calls without a price is never told as free: %s', (cost, unpriced, sentence) => {
  const row = { calls: 3, errors: 0, tokens_in: 9, tokens_out: 9, cost };
  const parts = { input: cost, cache_read: '0', cache_write: '0', output: '0', request: '0', unsplit: '0' };
  const by_tool = [{ ...row, tool_name: null }];
  const breakdown = { cost, parts, by_tool, by_model: [{ ...row, model: 'gpt-5' }] };
  expect(whereItWent(breakdown, [], unpriced)).toBe(sentence);
});

test('a notice about a budget that warns, once dismissed, hides none about the same budget when it refuses', () => {
  const window_start = '2026-11-01T00:00:00.000Z';
  const budget = { id: 'bdg_1', name: 'Shop', window_start, revision: 1, utilization_pct: 120 };
  const [none, soft, hard] = (['none', 'soft', 'hard'] as const).map((enforce) =>
    budgetConcerns([{ ...budget, state: 'exceeded', enforce }]).map(noticeOf),
  );
  expect(none).toEqual(soft);
  expect(hard).not.toEqual(soft);
});

test('a value is new only where none of the span before may have been it', () => {
  const before = (name: string, rest: number) => costBefore(usageOf(3, rest), 'model', name);
  for (const rest of [0, 7]) expect(before('model-0', rest)).toBe(3);
  expect([before('another', 0), before('another', 7)]).toEqual([0, undefined]);
  expect(costBefore(undefined, 'model', 'another')).toBeUndefined();
});

type Question = (range: Range, filters: Filters, teamsOf: string | null) => { queryKey: readonly unknown[] };
const QUESTIONS: Record<string, Question> = {
  usageNow,
  usageBefore,
  usageChanges,
  usageTotals,
  workUsage: (range, filters) => workUsage(range, filters, 'branch'),
  allGroups: (range, filters) => allGroups('org_1', 'model', range, filters),
};

test.each(Object.entries(QUESTIONS))(
  'an answer of %s is kept for its own range, filters and reader alone, and until calls count otherwise',
  (name, question) => {
    const [week, month] = (['last_week', 'last_month'] as const).map((range) =>
      rangeOf({ range }, 'UTC', Date.parse('2026-11-23T12:00:00Z')),
    ) as [Range, Range];
    const filters: Filters[] = [{}, ...FILTERS.flatMap((by) => [{ [by]: 'red' }, { [by]: 'blue' }])];
    const keys = [week, month].flatMap((range) =>
      filters.map((only) => question(range, only, null).queryKey),
    );
    if (name === 'usageNow' || name === 'usageBefore') keys.push(question(week, {}, 'org_1').queryKey);
    expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(keys.length);
    for (const [kind] of keys) expect(RECOUNTED).toContain(kind);
  },
);

test.each([
  ['hour', 'UTC', '11-23T21:00 11-23T22:00 11-23T23:00 11-24T00:00', null],
  ['hour', 'Asia/Tokyo', '11-23T21:00 11-23T22:00 11-23T23:00 11-23T23:40', null],
  ['day', 'UTC', '11-21T00:00 11-22T00:00 11-23T00:00 11-24T00:00', '11-21 11-22 11-23 11-24'],
  ['day', 'UTC', '11-22T00:00 11-23T00:00 11-23T16:00', '11-22 11-23 11-24'],
  ['day', 'Asia/Tokyo', '11-21T15:00 11-22T15:00 11-23T15:00', '11-22 11-23 11-24'],
  ['day', 'America/New_York', '10-31T04:00 11-01T04:00 11-02T05:00 11-03T05:00', '10-31 11-01 11-02 11-03'],
  ['week', 'Europe/Berlin', '10-18T22:00 10-25T23:00 11-01T23:00 11-03T23:00', '10-19 10-26 11-02 11-04'],
  ['month', 'Asia/Tokyo', '09-30T15:00 10-31T15:00 11-22T15:00', '10-01 11-01 11-23'],
] as const)(
  'the bars of the cost chart by %s in %s lead to the sessions of their own time, together of the whole range: %s',
  (interval, zone, of, days) => {
    const times = of.split(' ').map((time) => `2026-${time}:00.000Z`);
    const bounds = days?.split(' ').map((day) => `2026-${day}`) ?? times;
    const starts = times.slice(0, -1);
    const series = starts.map((start) => ({ ...sums, start, active_users: 1, cost_usd: 1 }));
    const data = { ...usageOf(2, 7), interval, series, to: times.at(-1) ?? '' };
    const { pageOf } = costContent(data, { split: 'model', names: new Map(), search: { team: 'red' }, zone });
    const range = { range: 'custom', team: 'red' };
    const spans = starts.map((_, bar) => ({ ...range, from: bounds[bar], to: bounds[bar + 1] }));
    const searches = (at?: number) => starts.map((_, bar) => pageOf?.(bar, at).search);
    expect(searches()).toEqual(spans);
    expect(searches(1)).toEqual(spans.map((span) => ({ ...span, model: 'model-1' })));
    expect(searches(2)).toEqual(spans);
  },
);

test.each([
  ['as everybody', 10, 10, { rule: 'none', threshold: 10 }],
  ['and a raise', 10, 18, { rule: 'none', threshold: 10 }],
  ['of their own', 20, 20, { rule: 'own', threshold: 20 }],
  ['of their own and a raise', 20, 28, { rule: 'own', threshold: 20 }],
  ['that is none', null, null, { rule: 'exempt', threshold: 10 }],
])('the form of a person with a limit %s offers it without what is raised for a time', (...of) => {
  const [, threshold, threshold_now, form] = of;
  const person = { user_id: 'ada', threshold, threshold_now, exempt: threshold === null };
  expect(exceptionOf(person, { threshold: 10 })).toEqual({ ...form, user_id: 'ada' });
});

test.each([
  ['UTC', '2026-11-23T00:00:00Z', '2026-11-24T00:00:00Z', ['2026-11-23', '2026-11-24']],
  ['UTC', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z', ['2026-11-01', '2026-12-01']],
  ['Asia/Tokyo', '2026-10-31T15:00:00Z', '2026-11-30T15:00:00Z', ['2026-11-01', '2026-12-01']],
  ['America/New_York', '2026-11-01T04:00:00Z', '2026-12-01T05:00:00Z', ['2026-11-01', '2026-12-01']],
])(
  'the sessions of a budget are those of its window and of no day more: %s, from %s',
  (timezone, window_start, window_end, [from, to]) => {
    const window = { timezone, window_start, window_end };
    const of = (scope: 'org' | 'team' | 'user' | 'project', scope_id: string) =>
      sessionsSearch({ ...window, scope, scope_id, per: null, top_user_id: null });
    const days = { range: 'custom', from, to };
    expect(of('org', 'org_1')).toEqual(days);
    expect(of('user', 'ada')).toEqual({ ...days, user_id: 'ada' });
    expect(of('project', 'shop')).toEqual({ ...days, project_id: 'shop' });
    expect(of('team', 'red')).toBeNull();
    const each = (top_user_id: string | null) =>
      sessionsSearch({ ...window, scope: 'team', scope_id: 'red', per: 'user', top_user_id });
    expect([each('ada'), each(null)]).toEqual([{ ...days, user_id: 'ada' }, null]);
  },
);

test.each([
  ['month', '2027-03-31T12:00:00Z', 'UTC', '2027-02-01', '2027-03-01'],
  ['month', '2027-03-28T12:00:00Z', 'UTC', '2027-02-01', '2027-02-28T12:00:00.000Z'],
  ['month', '2027-01-31T12:00:00Z', 'UTC', '2026-12-01', '2026-12-31T12:00:00.000Z'],
  ['month', '2027-04-01T00:05:00Z', 'UTC', '2027-03-01', '2027-03-01T00:15:00.000Z'],
  ['today', '2027-03-05T00:14:00Z', 'UTC', '2027-03-04', '2027-03-04T00:15:00.000Z'],
  ['today', '2027-03-05T00:16:00Z', 'UTC', '2027-03-04', '2027-03-04T00:15:00.000Z'],
  // The day before had 23 hours.
  ['today', '2027-03-28T22:05:00Z', 'Europe/Berlin', '2027-03-28', '2027-03-27T23:15:00.000Z'],
] as const)('the period before the %s at %s in %s is not empty, nor longer than its own', (...of) => {
  const [range, now, timezone, from, to] = of;
  expect(rangeOf({ range }, timezone, Date.parse(now)).before).toEqual({ from, to });
});

test('hours are asked for only of days of which they are kept', () => {
  const nowMs = Date.parse('2026-11-23T23:59:00Z');
  const of = (from: string) =>
    rangeOf({ range: 'custom', from, to: plusDays(from, 1) }, 'UTC', nowMs).interval;
  expect([of('2026-11-23'), of('2026-10-20'), of('2026-10-19')]).toEqual(['hour', 'hour', 'day']);
});

test('a time of another year says which, and of a moment its milliseconds', () => {
  const nowMs = Date.parse('2026-11-22T12:00:00Z');
  expect(dateTime('2026-11-22T12:00:00Z', 'UTC', { nowMs })).toBe('22 Nov, 12:00');
  expect(dateTime('2027-11-22T12:00:00Z', 'UTC', { nowMs })).toBe('22 Nov 2027, 12:00');
  expect(bucketLabel('2025-11-22T00:00:00Z', 'day', 'UTC', nowMs)).toBe('22 Nov 2025');
  expect(inWords('2026-11-23T15:48:20.123Z', 'UTC', 'millisecond')).toBe('23 Nov 2026, 15:48:20.123 UTC');
  // This year in New York, where it is still the last evening of the year.
  const newYear = Date.parse('2027-01-01T03:00:00Z');
  expect(dateTime('2026-11-22T12:00:00Z', 'America/New_York', { nowMs: newYear })).toBe('22 Nov, 07:00');
});

test('a window of a budget of another zone begins at an hour of this one', () => {
  const month = '2026-10-31T15:00:00Z';
  expect(budgetLabel(month, 'month', { budget: 'Asia/Tokyo', page: 'UTC' })).toMatch(/^31 Oct.*, 15:00$/);
  expect(budgetLabel(month, 'month', { budget: 'Asia/Tokyo', page: 'Asia/Tokyo' })).toBe('Nov 2026');
});

test.each([
  ['15:48:20Z', 'America/New_York', '23 Nov 2026, 10:48:20 in New York · 15:48:20 UTC'],
  ['02:00:00Z', 'America/New_York', '22 Nov 2026, 21:00:00 in New York · 23 Nov 2026, 02:00:00 UTC'],
  ['15:48:20Z', 'UTC', '23 Nov 2026, 15:48:20 UTC'],
  ['15:48:20Z', 'America/Argentina/Buenos_Aires', '23 Nov 2026, 12:48:20 in Buenos Aires · 15:48:20 UTC'],
])('%s in words in %s is that of the viewer and of UTC, with the day of each where they differ', (...of) => {
  const [time, zone, words] = of;
  expect(inWords(`2026-11-23T${time}`, zone)).toBe(words);
});

test.each([
  ['last_week', '2026-11-23T00:00:00Z', ['2026-11-09', '2026-11-16', '2026-11-23'], 'the week before'],
  ['last_week', '2026-11-22T23:00:00Z', ['2026-11-02', '2026-11-09', '2026-11-16'], 'the week before'],
  ['last_month', '2027-01-31T12:00:00Z', ['2026-11-01', '2026-12-01', '2027-01-01'], 'the month before'],
  ['last_quarter', '2027-02-15T12:00:00Z', ['2026-07-01', '2026-10-01', '2027-01-01'], 'the quarter before'],
] as const)('the %s at %s is a whole one, compared with the one before it: %j', (range, now, days, label) => {
  const { query, before, beforeLabel } = rangeOf({ range }, 'UTC', Date.parse(now));
  const [from, begin, to] = days;
  expect([query, before, beforeLabel]).toEqual([{ from: begin, to }, { from, to: begin }, label]);
});

test('one hour of a day is a range, and one that is not is none', () => {
  const nowMs = Date.parse('2026-11-23T23:59:00Z');
  const hour = { from: '2026-11-23T10:00:00.000Z', to: '2026-11-23T11:00:00.000Z' };
  const range = rangeOf(readShared({ range: 'custom', ...hour }), 'America/New_York', nowMs);
  expect(range).toMatchObject({ query: hour, label: '23 Nov, 05:00 – 06:00', interval: 'hour' });
  expect(range.before).toEqual({ from: '2026-11-23T09:00:00.000Z', to: hour.from });
  expect(readShared({ from: '2026-11-23T10:00', to: '2026-13-01' })).toEqual({});
});

test('a share of more than nothing is never nothing, and a change says against what', () => {
  const shares = [0, 0.0004, 0.0099, 0.01, 0.413].map((ratio) => percent(ratio));
  expect(shares.join(', ')).toBe('0 %, <1 %, <1 %, 1 %, 41.3 %');
  const change = (now: number, before: number) => {
    const words = changeWords(now, before, 'the week before');
    return words && `${words.seen}|${words.heard}`;
  };
  expect(change(126, 100)).toBe('▲ 26 %| more than the week before');
  expect(change(97.5, 100)).toBe('▼ 2.5 %| less than the week before');
  expect(change(100.1, 100)).toBe('▲ <1 %| more than the week before');
  expect(change(100_000, 1)).toBe('▲ >999 %| more than the week before');
  expect(change(5, 5)).toBe('no change| from the week before');
  expect(change(5, 0)).toBeNull();
});

test('a name that turns the text around shows what does', () => {
  expect(plainName('evil\u202Eexe.live \u2066x\u2069')).toBe('evil\\u202Eexe.live \\u2066x\\u2069');
});

test('a call of a second and more is in seconds', () => {
  const told = [0, 812.4, 999, 1_000, 8_758, 22_069, 120_000].map(latency);
  expect(told.join(', ')).toBe('0 ms, 812 ms, 999 ms, 1.0 s, 8.8 s, 22.1 s, 120 s');
});

test('the URL of a list of sessions asks for what the API takes, and for nothing else', () => {
  const read = (query: string) => readSessionSearch(Object.fromEntries(new URLSearchParams(query)));
  expect(read('errors=true&anomalous=false&state=open&min_cost_usd=0.5&sort=tokens&order=asc')).toEqual({
    filters: { errors: 'true', anomalous: 'false', state: 'open', min_cost_usd: '0.5' },
    sort: 'tokens',
    order: 'asc',
  });
  const plain = { filters: {}, sort: 'started_at', order: 'desc' };
  expect(read('errors=x&state=closed&min_cost_usd=1e3&sort=user&order=up')).toEqual(plain);
});

test('a week is compared with the week before it, and not with one that is hidden', () => {
  const figures = { active_users: 9, sessions: 9, signals: 9, errors: 0, tokens_in: 9, tokens_out: 9 };
  const week = (start: string, cost_usd: number) => ({ start, ...figures, cost_usd });
  const trend = [
    week('2026-11-02T00:00:00.000Z', 1),
    week('2026-11-09T00:00:00.000Z', 2),
    { start: '2026-11-16T00:00:00.000Z', suppressed: true as const },
    week('2026-11-23T00:00:00.000Z', 4),
  ];
  const weeks = weeksOf({ trend }, 'UTC');
  expect(weeks.map(({ before }) => before?.cost_usd)).toEqual([undefined, 1, 2, undefined]);
});

test('the alerts of a webhook are named after its events, also after one of a newer service', () => {
  const events = ['calls-of-next-year', 'signals.held'] as never[];
  const all = subscriptionText({ alert_at: [50, 120], forecast: true, events });
  expect(all).toBe('calls-of-next-year, held calls, 50 %, 120 %, forecast');
});

test('the quiet hours of a channel are told with their zone', () => {
  const quiet_hours = { from: '22:00', to: '07:30', timezone: 'Asia/Kathmandu' };
  expect(quietText({ quiet_hours })).toBe('22:00 to 07:30, Asia/Kathmandu');
  expect(quietText({ quiet_hours: null })).toBe('–');
});

test.each([
  [{}, 'of config warned, and it went on.'],
  [
    { policy_id: 'guard', reason: 'too expensive.' },
    'guard of config warned, and it went on: too expensive.',
  ],
  [{ verdict: 'deny', action: 'block' }, 'of config denied it, and it was blocked.'],
  [{ verdict: 'escalate', action: 'escalate' }, 'of config asked somebody, and somebody was asked.'],
  [
    { verdict: 'modify', action: 'modify', source: 'a_hook' },
    'of a hook changed it, and it went on changed.',
  ],
])('a decision of a policy is a sentence: %o', (changes, sentence) => {
  const warned = { kind: 'tool_permission', verdict: 'warn', action: 'allow', source: 'config' };
  const signal = { intervention: { ...warned, ...changes } } as Parameters<typeof decisionWords>[0];
  expect(decisionWords(signal)).toBe(`The tool permission ${sentence}`);
  expect(decisionWords({ ...signal, tool_name: 'edit' })).toContain(' (edit), and ');
  const { intervention: _none, ...without } = signal;
  expect(decisionWords(without as typeof signal)).toBe('');
});
