import { expect, test } from 'vitest';
import { dayChart } from '../../packages/dashboard/wings/work/parts/day-chart.ts';
import {
  costOf,
  costSentence,
  mainTool,
  readReference,
  sessionsOf,
  shareOfTop,
} from '../../packages/dashboard/wings/work/parts/words.ts';
import { isAttributed, pullRequestsOf, workWords } from '../../packages/dashboard/words/work.ts';

test.each<[text: string, repository?: string | undefined, number?: string]>([
  ['12', undefined, '12'],
  [' #12 ', undefined, '12'],
  ['github.com/acme/shop#12', 'github.com/acme/shop', '12'],
  ['https://github.com/acme/shop/pull/12/files#diff-1', 'https://github.com/acme/shop', '12'],
  ['https://gitlab.com/acme/web/shop/-/merge_requests/7', 'https://gitlab.com/acme/web/shop', '7'],
  ['https://bitbucket.org/acme/shop/pull-requests/3/overview', 'https://bitbucket.org/acme/shop', '3'],
  ...['0', '#', 'shop', 'shop#12', 'https://github.com/acme/shop'].map((text): [string] => [text]),
])('what people paste finds a pull request: %s', (text, repository, number) => {
  const found = number ? { ...(repository ? { repository } : {}), number } : null;
  expect(readReference(text)).toEqual(found);
});

const place = { repository: 'github.com/acme/shop', number: 12, branch: 'cart' };
const unknown = {
  title: null,
  url: null,
  head_repository: null,
  base_branch: null,
  closed_at: null,
} as const;
const sums = { signals: 3, errors: 0, tokens_in: 0, tokens_out: 0, cost_usd: 4.2, unpriced_signals: 0 };
const days = { opened_at: '', merged_at: null, first_day: '2026-01-10', last_day: '2026-01-12' };
const pull = { ...place, ...unknown, ...sums, ...days, id: 'pr_1', state: 'open', people: 2 } as const;

test('a cost that is not known is never a zero', () => {
  expect(costOf({ ...pull, unpriced_signals: 1 })).toBe('≥ $4.20');
  expect(costOf({ ...pull, cost_usd: 0, signals: 0 })).toBe('no calls');
  expect(costSentence({ ...pull, cost_usd: 0, unpriced_signals: 3 })).toContain('The cost is not known');
  expect(costSentence({ ...pull, unpriced_signals: 1 })).toContain('1 call has no known price');
});

test('a session is named where it made at least half of the cost', () => {
  const top = (cost_usd: number) => shareOfTop({ cost_usd: 4, top_session: { cost_usd } });
  expect([top(1.99), top(2), top(2.8), top(3.99), top(4)]).toEqual([null, '50 %', '70 %', 'All', 'All']);
  expect(shareOfTop({ cost_usd: 0, top_session: null })).toBeNull();
});

test('a tool is named where it took half of a session, all calls of which are on the pull request', () => {
  const of = (tool_name: string | null, cost: string) => ({ tool_name, cost, calls: 90 });
  const session = { cost: '2.800012345', by_tool: [of('run_tests', '2'), of(null, '0.8')] };
  expect(mainTool(session, 2.8)).toEqual({ tool_name: 'run_tests', calls: 90 });
  expect(mainTool(session, 2.7)).toBeNull();
  expect(mainTool({ ...session, by_tool: [of('run_tests', '1'), of('edit', '0.9')] }, 2.8)).toBeNull();
  expect(mainTool({ ...session, by_tool: [of(null, '2')] }, 2.8)).toBeNull();
});

test('its sessions are those of its days, or of one of them', () => {
  const pull_request = 'github.com/acme/shop#12';
  const shown = { range: 'custom', from: '2026-01-10', to: '2026-01-13', pull_request };
  expect(sessionsOf(pull).search).toEqual(shown);
  expect(sessionsOf({ ...pull, first_day: null, last_day: null }).search).toEqual({ pull_request });
});

const day = (date: string, cost_usd: number) => ({ day: date, cost_usd });

test.each([
  ['all of its days', null, []],
  ['more days than are shown', { cost_usd: 7 }, [['Earlier', 7, '2026-01-02', '2026-01-10'] as const]],
] as const)('each bar of the chart of %s leads to the sessions of its own days', (_, others, earlier) => {
  const bars = [
    ...earlier,
    [/^10 Jan/, 1, '2026-01-10', '2026-01-11'],
    [/^11 Jan/, 0, '2026-01-11', '2026-01-12'],
    [/^12 Jan/, 3, '2026-01-12', '2026-01-13'],
  ] as const;
  const first_day = earlier[0]?.[2] ?? pull.first_day;
  const by_day = { data: [day('2026-01-12', 3), day('2026-01-10', 1)], others };
  const { labels, series, pageOf } = dayChart({ ...pull, first_day, by_day });
  expect(labels).toHaveLength(bars.length);
  for (const [place, [label, cost, from, to]] of bars.entries()) {
    expect(labels[place]).toMatch(label);
    expect(series[0]?.values[place]).toBe(cost);
    expect(pageOf?.(place).search).toMatchObject({ range: 'custom', from, to });
  }
});

const none = { repository: null, branch: null, pull_request: null, task: null };
const counts = { signals: 1, tokens_in: 0, tokens_out: 0, cost_usd: 0, unpriced_signals: 0 };

test('a work is named by what it has', () => {
  const repository = 'github.com/acme/shop';
  const pull_request = `${repository}#12`;
  const words = (fields: object) => workWords({ ...none, ...fields });
  expect(words({})).toBe('Not attributed');
  expect(words({ repository })).toBe('acme/shop · no branch');
  expect(words({ task: 'SHOP-9' })).toBe('SHOP-9');
  expect(words({ repository, branch: 'cart', pull_request })).toBe('acme/shop · cart · #12');
  expect(isAttributed([{ ...none, ...counts }])).toBe(false);
  const worked = { ...none, ...counts, repository, pull_request };
  expect(pullRequestsOf([worked, worked, { ...none, ...counts }])).toEqual([
    { label: pull_request, short: 'acme/shop#12', search: { repository, number: '12' } },
  ]);
});
