import type { Changes } from '../../data/usage-questions.ts';
import { shareOfChange } from '../../parts/text/change-words.ts';
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
  if (was === 0) return `${money(cost)}, and nothing ${inPeriod(before)}`;
  if (difference === 0) return `${money(cost)}, the same as ${inPeriod(before)}`;
  const share = shareOfChange(Math.abs(difference) / was).replace(/^\d/, `${difference > 0 ? '+' : '−'}$&`);
  return `${difference > 0 ? 'Up' : 'Down'} ${money(Math.abs(difference))} (${share}) from ${before}`;
}

/** "in the 7 days before", but "yesterday by this time". */
function inPeriod(before: string): string {
  return before.startsWith('the ') ? `in ${before}` : before;
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

/** The differences of the rows and of all others, where they went opposite ways: of exact sums, as the share is rounded. Pure. */
export function partOf(
  { difference_usd, splits }: Pick<Changes, 'difference_usd' | 'splits'>,
  { by, keys }: Pick<Explained, 'by' | 'keys'>,
) {
  const rows = splits.find((split) => split.by === by)?.rows ?? [];
  const named = rows.filter(({ key }) => key !== null && keys.includes(key));
  const own = named.reduce((sum, row) => sum + nusdOf(row.difference_usd), 0n);
  const words = (nusd: bigint) => {
    const usd = Number(nusd) / 1e9;
    return `${money(Math.abs(usd))} ${usd > 0 ? 'more' : 'less'}`;
  };
  return { more: words(own), others: words(nusdOf(difference_usd) - own) };
}

/** An amount with nine decimals in nano-USD. */
function nusdOf(usd: string): bigint {
  return BigInt(usd.replace('.', ''));
}
