import { expect, test } from 'vitest';
import { DIMENSIONS, type Grouping, WORK_DIMENSIONS } from '../../packages/dashboard/data/range.ts';
import { costContent } from '../../packages/dashboard/pages/overview/cost-content.ts';
import { addMember } from '../../shared/people/members.ts';
import { makeSignal } from '../support/factories.ts';
import { api, DAY, daysAgo, iso, key, NOW, orgId, SHOP, setUpShop } from '../support/shop.ts';

setUpShop();

const RANGE = { from: iso(daysAgo(12)), to: iso(NOW + DAY) };

const repositoryOf = (index: number) => `${SHOP}-${index}`;

/** Twelve of everything, in each of two days, with costs that differ; some of it in no team, branch or pull request. */
async function spendOnTwelve(): Promise<void> {
  const calls = Array.from({ length: 12 }, (_, index) =>
    [1, 3].map((days) => ({
      ts: daysAgo(days),
      user_id: `user-${index}`,
      project_id: `project-${index}`,
      model: `model-${index}`,
      adapter: `tool-${index}`,
      repository: repositoryOf(index),
      branch: index % 4 === 3 ? undefined : `branch-${index}`,
      task: `T-${index}`,
      cost_usd: (index + 1) * days,
    })),
  ).flat();
  const signals = [...calls, { ts: daysAgo(2), user_id: 'nobody', cost_usd: 7 }].map(makeSignal);
  const { body } = await api.call('/api/v1/signals', { key, body: { signals } });
  expect(new Set(body.results.map(({ status }: { status: string }) => status))).toEqual(
    new Set(['accepted']),
  );
  for (let index = 0; index < 12; index += 1) {
    const report = {
      repository: repositoryOf(index),
      number: index + 1,
      branch: `branch-${index}`,
      state: 'open',
    };
    const opened = { opened_at: iso(daysAgo(10)), updated_at: iso(daysAgo(10)) };
    const told = await api.call('/api/v1/pull-requests', { key, body: { ...report, ...opened } });
    expect(told.status, told.text).toBe(200);
  }
  for (let index = 0; index < 12; index += 1)
    await addMember(api.ctx, {
      org_id: orgId,
      user_id: `user-${index}`,
      email: `user-${index}@example.org`,
      role: 'member',
      teams: [`team-${index}`],
    });
}

test('the series of the cost chart sum to the total of each day, and to the whole, by all nine splits', async () => {
  await spendOnTwelve();
  const questions: [string, readonly Grouping[]][] = [
    ['/api/v1/usage', DIMENSIONS],
    ...WORK_DIMENSIONS.map((by): [string, readonly Grouping[]] => ['/api/v1/usage', [by]]),
    ...DIMENSIONS.map((by): [string, readonly Grouping[]] => ['/api/v1/usage', [by]]),
    [`/api/v1/org/${orgId}/usage`, [...DIMENSIONS, 'team']],
    [`/api/v1/org/${orgId}/usage`, ['team']],
  ];
  for (const [path, splits] of questions) {
    const query = new URLSearchParams({
      ...RANGE,
      interval: 'day',
      series: 'each',
      top: '8',
      group_by: splits.join(','),
    });
    const { status, body, text } = await api.call(`${path}?${query.toString()}`, { key });
    expect(status, text).toBe(200);
    for (const split of splits) {
      const { series, labels } = costContent(body, { split, names: new Map(), search: {}, zone: 'UTC' });
      expect(
        series.filter(({ name }) => name === 'All others').length,
        `${split}: more than the chart shows`,
      ).toBe(1);
      const sums = labels.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0));
      const totals = body.series.map(({ cost_usd }: { cost_usd: number }) => cost_usd);
      expect(sums, `${path} by ${splits.join(',')}: ${split}`).toEqual(totals);
      expect(sums.reduce((sum, cost) => sum + cost, 0)).toBe(body.totals.cost_usd);
    }
  }
});
