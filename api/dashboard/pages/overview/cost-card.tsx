import { useQuery } from '@tanstack/react-query';
import { groupsBy, type Usage, useUsageNow } from '../../data/usage.tsx';
import { useMe } from '../../data/use-me.ts';
import { useChoice } from '../../data/use-range.ts';
import { ChartCard } from '../../parts/chart/card.tsx';
import type { ChartContent } from '../../parts/chart/content.ts';
import { optionsOf, SearchSelect } from '../../parts/form/search-select.tsx';
import { Load } from '../../parts/page/load.tsx';
import { axisMoney, bucketLabel, money } from '../../parts/text/format.ts';

const SPLITS = { model: 'By model', adapter: 'By tool', project_id: 'By project' } as const;

/** Cost over the range, stacked by a dimension that can be chosen. */
export function CostCard() {
  const { org } = useMe();
  const split = useChoice('split', SPLITS) ?? 'model';
  const usage = useQuery(useUsageNow());
  return (
    <Load query={usage} height={340}>
      {(data) => (
        <ChartCard
          title="Cost over time"
          content={costContent(data, split, org.timezone)}
          controls={
            <SearchSelect
              name="split"
              size="xs"
              aria-label="Split by"
              value={split}
              data={optionsOf(SPLITS)}
            />
          }
        />
      )}
    </Load>
  );
}

/** The chart of a usage answer, without the groups that cost nothing. */
function costContent(data: Usage, split: keyof typeof SPLITS, timezone: string): ChartContent {
  const groups = groupsBy(data, split).filter(({ cost_usd }) => cost_usd > 0);
  return {
    labels: data.series.map(({ start }) => bucketLabel(start, data.interval, timezone)),
    series: groups.map(({ value, series = [] }, index) => ({
      name: value ?? 'All others',
      colour: value === null ? null : index,
      values: series.map(({ cost_usd }) => cost_usd),
    })),
    format: money,
    axis: axisMoney,
  };
}
