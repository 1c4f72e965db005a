import { Alert, Anchor, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useIsAdmin } from '../data/me.ts';
import { budgetsQuery, usageQuery, webhooksQuery } from '../data/queries.ts';
import { useFilters, useRange } from '../data/range.ts';
import { percent } from '../parts/format.ts';

const MOST_UNPRICED = 0.01;

/** What somebody should know on whatever page: a failing webhook, an exceeded budget, usage without a price. */
export function Banners() {
  const range = useRange();
  const filters = useFilters();
  const webhooks = useQuery({ ...webhooksQuery(), enabled: useIsAdmin() });
  const budgets = useQuery(budgetsQuery());
  const usage = useQuery(usageQuery({ ...range.query, interval: range.interval, ...filters }));
  const failing = webhooks.data?.data.filter(({ status }) => status === 'failing') ?? [];
  const exceeded = budgets.data?.data.filter(({ state }) => state === 'exceeded') ?? [];
  const totals = usage.data?.totals;
  const unpriced = totals && totals.signals > 0 ? totals.unpriced_signals / totals.signals : 0;
  if (failing.length === 0 && exceeded.length === 0 && unpriced <= MOST_UNPRICED) return null;
  return (
    <Stack gap="sm" mb="md" role="status">
      {failing.map(({ id, url, held }) => (
        <Banner key={id}>
          <Anchor component={Link} to={`/webhooks/${id}`}>
            A webhook is failing
          </Anchor>
          : {url} ({held} held)
        </Banner>
      ))}
      {exceeded.map(({ id, name, utilization_pct }) => (
        <Banner key={id}>
          <Anchor component={Link} to={`/budgets/${id}`}>
            A budget is exceeded
          </Anchor>
          : {name} ({Math.round(utilization_pct)} %)
        </Banner>
      ))}
      {unpriced > MOST_UNPRICED && (
        <Banner>
          {percent(unpriced)} of the signals in this range have no known price, so the true cost is higher.
        </Banner>
      )}
    </Stack>
  );
}

function Banner({ children }: { children: React.ReactNode }) {
  return (
    <Alert
      variant="outline"
      color="orange"
      py="xs"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      className="wrap"
    >
      {children}
    </Alert>
  );
}
