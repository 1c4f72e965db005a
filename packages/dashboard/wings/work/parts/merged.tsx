import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useIsAdmin } from '../../../data/use-me.ts';
import { useFilters, useRange } from '../../../data/use-range.ts';
import { Load } from '../../../parts/page/load.tsx';
import { exact, money } from '../../../parts/text/format.ts';
import { Change, ComparedWith } from '../../../parts/text/values.tsx';
import { type MergedSums, mergedQuery } from '../queries.ts';
import { Figures } from './figures.tsx';

/** The cost of those that were merged in the range, beside the period before. */
export function MergedFigures() {
  const range = useRange();
  const { repository } = useFilters();
  const only = repository === undefined ? {} : { repository };
  const now = useQuery(mergedQuery({ ...range.query, ...only }));
  const before = useQuery({ ...mergedQuery({ ...range.before, ...only }), refetchInterval: false });
  const title = `Merged: ${range.label}`;
  return (
    <Stack gap="xs">
      <Title order={2}>{title}</Title>
      <Load query={now} height={110}>
        {(data) => <MergedSumsOf title={title} now={data} before={before.data} than={range.beforeLabel} />}
      </Load>
      {before.data && before.data.merged > 0 && <ComparedWith than={range.beforeLabel} />}
    </Stack>
  );
}

function MergedSumsOf({
  title,
  now,
  before,
  than,
}: {
  title: string;
  now: MergedSums;
  before: MergedSums | undefined;
  than: string;
}) {
  const isAdmin = useIsAdmin();
  if (now.merged === 0)
    return (
      <Text c="dimmed">
        None was merged in this range
        {before && before.merged > 0 ? `, and ${exact(before.merged)} in ${than}` : ''}.
      </Text>
    );
  const change = (of: (sums: MergedSums) => number | null) => {
    const [one, other] = [of(now), before && of(before)];
    return one === null || other === undefined || other === null ? null : (
      <Change now={one} before={other} than={than} />
    );
  };
  const perMerged = ({ cost_per_merged_usd }: MergedSums) => cost_per_merged_usd;
  const median = ({ median_usd }: MergedSums) => median_usd;
  return (
    <Figures
      label={title}
      of={[
        {
          label: isAdmin ? 'Cost per merged pull request' : 'Your part per merged pull request',
          value: money(perMerged(now) ?? 0),
          notes: [change(perMerged)],
        },
        {
          label: isAdmin ? 'Median' : 'Median of your parts',
          value: money(median(now) ?? 0),
          notes: [change(median)],
        },
        {
          label: 'Pull requests merged',
          value: exact(now.merged),
          notes: [
            change(({ merged }) => merged),
            now.without_calls > 0 && `${exact(now.without_calls)} without any call`,
          ],
        },
        {
          label: isAdmin ? 'Cost of all' : 'Your part of all',
          value: money(now.cost_usd),
          notes: [change(({ cost_usd }) => cost_usd)],
        },
      ]}
    />
  );
}
