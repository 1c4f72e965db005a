import type { Changes } from '../../data/usage-questions.ts';
import { money } from '../../parts/text/format.ts';

export type Explained = NonNullable<Changes['explained_by']>;

/** "Up $30.12 (+15 %) from the 7 days before"; null where nothing cost anything. Pure. */
export function changeOf(
  {
    cost_usd,
    before_cost_usd,
    difference_usd,
  }: Pick<Changes, 'cost_usd' | 'before_cost_usd' | 'difference_usd'>,
  before: string,
): string | null {
  const [cost, was, difference] = [cost_usd, before_cost_usd, difference_usd].map(Number) as [
    number,
    number,
    number,
  ];
  if (cost === 0 && was === 0) return null;
  if (was === 0) return `${money(cost)}, and nothing in ${before}`;
  if (difference === 0) return `${money(cost)}, the same as in ${before}`;
  const ratio = Math.abs(difference) / was;
  return `${difference > 0 ? 'Up' : 'Down'} ${money(Math.abs(difference))} (${shareOf(ratio, difference > 0)}) from ${before}`;
}

/** More than ten times as much is no percentage that anybody reads. */
function shareOf(ratio: number, isUp: boolean): string {
  const sign = isUp ? '+' : '−';
  if (ratio > 9.99) return `${sign}>999 %`;
  return ratio < 0.01 ? `${sign}<1 %` : `${sign}${Math.round(ratio * 100)} %`;
}

const NOUNS: Readonly<Record<Explained['by'], readonly [one: string, more: string]>> = {
  session: ['', ''],
  pull_request: ['the pull request', 'the pull requests'],
  branch: ['the branch', 'the branches'],
  task: ['the task', 'the tasks'],
  user_id: ['', ''],
  project_id: ['the project', 'the projects'],
  repository: ['the repository', 'the repositories'],
  team: ['the team', 'the teams'],
  model: ['the model', 'the models'],
  adapter: ['', ''],
};

/** The word before the names of a split; people and tools need none. Pure. */
export function nounOf(by: Explained['by'], count: number): string {
  return NOUNS[by][count === 1 ? 0 : 1];
}

/** What the rows and all others cost more or less, where they went opposite ways. Pure. */
export function partOf({ difference_usd }: Pick<Changes, 'difference_usd'>, { share }: Explained) {
  const difference = Number(difference_usd);
  const own = difference * share;
  const rest = difference - own;
  const words = (usd: number) => `${money(Math.abs(usd))} ${usd > 0 ? 'more' : 'less'}`;
  return { more: words(own), others: words(rest) };
}
