import { plusDays } from '../../../data/range.ts';
import type { ChartContent } from '../../../parts/chart/content.ts';
import { axisMoney, money } from '../../../parts/text/format.ts';
import { dateWords } from '../../../words/time.ts';
import type { PullRequestDetail } from '../queries.ts';
import { sessionsOf } from './words.ts';

/** Days without calls are drawn too, as long as all of them have room. */
const MOST_DAYS = 100;

/** The parts of a pull request that the chart shows and that its links need. */
type Charted = Pick<PullRequestDetail, 'repository' | 'number' | 'first_day' | 'last_day'> & {
  by_day: {
    data: readonly { day: string; cost_usd: number }[];
    others: { cost_usd: number } | null;
  };
};

/** The cost of each day, oldest first, which leads to its sessions. Days before the last hundred with calls are one bar. Pure. */
export function dayChart(pull: Charted): ChartContent {
  const { by_day } = pull;
  const costs = new Map(by_day.data.map(({ day, cost_usd }) => [day, cost_usd]));
  const days = withGaps([...costs.keys()].toSorted());
  const earlier = by_day.others === null ? [] : [by_day.others.cost_usd];
  return {
    labels: [...earlier.map(() => 'Earlier'), ...days.map((day) => dateWords(day))],
    series: [{ name: 'Cost', colour: 0, values: [...earlier, ...days.map((day) => costs.get(day) ?? 0)] }],
    format: money,
    axis: axisMoney,
    pageOf: (period) => {
      const day = days[period - earlier.length];
      if (day !== undefined) return sessionsOf(pull, { first_day: day, last_day: day });
      const [first] = days;
      return sessionsOf(pull, first === undefined ? {} : { last_day: plusDays(first, -1) });
    },
  };
}

function withGaps(days: readonly string[]): readonly string[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return days;
  const all = [first];
  while ((all.at(-1) ?? last) < last && all.length <= MOST_DAYS) all.push(plusDays(all.at(-1) ?? last, 1));
  return all.length > MOST_DAYS ? days : all;
}
