import { groupsBy, type NamedGroup, type Usage } from '../../data/groups.ts';
import { dateIn, type Grouping, plusDays, type SharedSearch } from '../../data/range.ts';
import type { ChartContent, PageOf } from '../../parts/chart/content.ts';
import { axisMoney, money } from '../../parts/text/format.ts';
import { bucketLabel } from '../../words/time.ts';

interface Split {
  split: Grouping;
  names: ReadonlyMap<string, string>;
  search: SharedSearch;
  zone: string;
}

/** The parts of a usage answer that its chart shows. */
type Charted = Pick<Usage, 'series' | 'groups' | 'interval' | 'to'>;

/** The chart of a usage answer, without the groups that cost nothing: its series sum to the totals of each bucket. Pure. */
export function costContent(data: Charted, { split, names, search, zone }: Split): ChartContent {
  const groups = groupsBy(data, split).filter(({ cost_usd }) => cost_usd > 0);
  return {
    labels: data.series.map(({ start }) => bucketLabel(start, data.interval, zone)),
    series: groups.map(({ name, series = [] }, index) => ({
      name: name === null ? 'All others' : (split === 'user_id' && names.get(name)) || name,
      colour: name === null ? null : index,
      values: series.map(({ cost_usd }) => cost_usd),
    })),
    format: money,
    axis: axisMoney,
    pageOf: (period, at) =>
      sessionsIn(
        data,
        { period, zone },
        { ...search, ...filterOf(split, at === undefined ? null : groups[at]) },
      ),
  };
}

function filterOf(split: Grouping, group: NamedGroup | null | undefined): Record<string, string> {
  return group?.value ? { [split]: group.value } : {};
}

/** The sessions of one bucket of a series: of its days, or of its hour. */
function sessionsIn(
  { series, interval, to }: Charted,
  { period, zone }: { period: number; zone: string },
  search: SharedSearch,
): PageOf {
  const from = series[period]?.start ?? to;
  const end = series[period + 1]?.start ?? to;
  const dates = {
    from: dateIn(zone, Date.parse(from)),
    to: plusDays(dateIn(zone, Date.parse(end) - 1), 1),
  };
  return {
    to: '/sessions',
    search: { ...search, range: 'custom', ...(interval === 'hour' ? { from, to: end } : dates) },
  };
}
