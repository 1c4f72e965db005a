import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { groupsBy, type Usage, useUsageNow } from '../../data/usage.tsx';
import { useMe } from '../../data/use-me.ts';
import { useChangeSearch } from '../../data/use-range.ts';
import { ChartCard } from '../../parts/chart-card.tsx';
import type { ChartContent } from '../../parts/chart-content.ts';
import { axisMoney, bucketLabel, money } from '../../parts/format.ts';
import { Load } from '../../parts/load.tsx';

const SPLITS = { model: 'By model', adapter: 'By tool', project_id: 'By project' } as const;
type Split = keyof typeof SPLITS;

/** What a URL asks for, else by model. */
function splitOf(chosen: string | undefined): Split {
  return chosen !== undefined && chosen in SPLITS ? (chosen as Split) : 'model';
}

/** Cost over the range, stacked by a dimension that can be chosen. */
export function CostCard() {
  const { split: chosen } = useSearch({ strict: false }) as { split?: string };
  const split = splitOf(chosen);
  const usage = useQuery(useUsageNow());
  return (
    <Load query={usage} height={340}>
      {(data) => <CostChart data={data} split={split} />}
    </Load>
  );
}

function CostChart({ data, split }: { data: Usage; split: Split }) {
  const { org } = useMe();
  const change = useChangeSearch();
  return (
    <ChartCard
      title="Cost over time"
      content={costContent(data, split, org.timezone)}
      controls={
        <NativeSelect
          size="xs"
          aria-label="Split by"
          value={split}
          onChange={(event) => change({ split: event.currentTarget.value })}
          data={Object.entries(SPLITS).map(([value, label]) => ({ value, label }))}
        />
      }
    />
  );
}

/** What cost nothing has no place in a chart of costs. */
function costContent(data: Usage, split: Split, timezone: string): ChartContent {
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
