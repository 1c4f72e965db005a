import { Stack, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, take } from '../../data/client.ts';
import type { Budget } from '../../data/queries.ts';
import { budgetLabel } from '../../words/time.ts';
import { ChartCard } from '../chart/card.tsx';
import { Load } from '../page/load.tsx';
import { amount, axisMoney, compact } from '../text/format.ts';
import { Amount } from '../text/values.tsx';
import { useZone } from '../time/when.tsx';

/** All of it, while the present window is still under way. */
export function UsedBefore({ budget }: { budget: Budget }) {
  const { metric, window, window_start } = budget;
  const windows = useQuery(windowsQuery(budget));
  // Rolling windows overlap: the one before is the next in the list.
  const data = windows.data?.data ?? [];
  const before =
    window === 'rolling'
      ? data.find(({ start }) => start < window_start)
      : data.find(({ end }) => end === window_start);
  return before ? <Amount metric={metric} of={before.current} /> : '–';
}

/** Windows that the page shows: two years of months. */
const SHOWN = {
  hourly: 24,
  daily: 30,
  weekly: 12,
  monthly: 24,
  quarterly: 8,
  rolling: 30,
  total: 1,
} as const;

/** The windows of a budget that are kept, newest first. */
export function windowsQuery({ id, window }: Pick<Budget, 'id' | 'window'>) {
  const query = { limit: SHOWN[window] };
  return queryOptions({
    queryKey: ['budgets', id, 'windows'],
    queryFn: () => take(api.GET('/api/v1/budgets/{id}/windows', { params: { path: { id }, query } })),
  });
}

/** The usage of each window that is kept, beside the present threshold. */
export function BudgetHistory({ budget }: { budget: Budget }) {
  const { metric } = budget;
  const zone = useZone();
  const windows = useQuery(windowsQuery(budget));
  if (budget.window === 'total') return null;
  const isKept = budget.window === 'monthly' || budget.window === 'quarterly';
  const interval = budget.window === 'hourly' ? 'hour' : isKept ? 'month' : 'day';
  return (
    <Load query={windows}>
      {({ data }) => {
        const oldestFirst = data.toReversed();
        return (
          <Stack gap="xs">
            <ChartCard
              title="Used per window"
              content={{
                labels: oldestFirst.map(({ start }) =>
                  budgetLabel(start, interval, { budget: budget.timezone, page: zone }),
                ),
                series: [{ name: 'Used', colour: 0, values: oldestFirst.map(({ current }) => current) }],
                format: (value) => amount(metric, value),
                axis: metric === 'cost_usd' ? axisMoney : compact,
                line: { value: budget.threshold, label: `threshold ${amount(metric, budget.threshold)}` },
              }}
            />
            <Text size="xs" c="dimmed">
              {isKept
                ? 'Months and quarters are kept as long as the budget.'
                : 'A window is deleted 40 days after its end.'}
            </Text>
          </Stack>
        );
      }}
    </Load>
  );
}
