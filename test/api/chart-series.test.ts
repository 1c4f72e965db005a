import { expect, test } from 'vitest';
import { DIMENSIONS, type Grouping, WORK_DIMENSIONS } from '../../packages/dashboard/data/range.ts';
import { costContent } from '../../packages/dashboard/pages/overview/cost-content.ts';
import { fixture } from '../support/fixture.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-02-01T12:00:00Z');
const { ask, member, orgId, spend } = await fixture({ clock: NOW });
const daysAgo = (days: number) => new Date(NOW - days * DAY).toISOString();
const RANGE = { from: daysAgo(12), to: daysAgo(-1) };

/** Twelve of everything, in each of two days, with costs that differ; some of it in no team, branch or pull request. */
async function spendOnTwelve(): Promise<void> {
  await spend({ ts: daysAgo(2), user_id: 'nobody', cost_usd: 7 });
  for (let index = 0; index < 12; index += 1) {
    const [user_id, branch] = [`user-${index}`, `branch-${index}`];
    const repository = `github.com/acme/shop-${index}`;
    const call = {
      user_id,
      project_id: `project-${index}`,
      model: `model-${index}`,
      adapter: `tool-${index}`,
      repository,
      branch: index % 4 === 3 ? undefined : branch,
      task: `T-${index}`,
    };
    await spend(...[1, 3].map((days) => ({ ...call, ts: daysAgo(days), cost_usd: (index + 1) * days })));
    const times = { opened_at: daysAgo(10), updated_at: daysAgo(10) };
    await ask('/api/v1/pull-requests', { repository, number: index + 1, branch, state: 'open', ...times });
    await member(user_id, { teams: [`team-${index}`] });
  }
}

test('the series of the cost chart sum to the total of each day, and to the whole, by all nine splits', async () => {
  await spendOnTwelve();
  const usage = '/api/v1/usage';
  const ofTeams = `/api/v1/org/${orgId}/usage`;
  const questions: [string, readonly Grouping[]][] = [
    [usage, DIMENSIONS],
    ...[...WORK_DIMENSIONS, ...DIMENSIONS].map((by): [string, readonly Grouping[]] => [usage, [by]]),
    [ofTeams, [...DIMENSIONS, 'team']],
    [ofTeams, ['team']],
  ];
  for (const [path, splits] of questions) {
    const shape = { interval: 'day', series: 'each', top: '8', group_by: splits.join(',') };
    const query = new URLSearchParams({ ...RANGE, ...shape });
    const body = await ask(`${path}?${query.toString()}`);
    for (const split of splits) {
      const { series, labels } = costContent(body, { split, names: new Map(), search: {}, zone: 'UTC' });
      const others = series.filter(({ name }) => name === 'All others');
      expect(others, `${split}: more than the chart shows`).toHaveLength(1);
      const sums = labels.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0));
      const totals = body.series.map(({ cost_usd }: { cost_usd: number }) => cost_usd);
      expect(sums, `${path} by ${splits.join(',')}: ${split}`).toEqual(totals);
      expect(sums.reduce((sum, cost) => sum + cost, 0)).toBe(body.totals.cost_usd);
    }
  }
});
