import { Alert, Anchor, Stack } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { budgetsQuery, heldQuery, webhooksQuery } from '../data/queries.ts';
import { groupsBy, useUsageNow } from '../data/usage.tsx';
import { useIsAdmin } from '../data/use-me.ts';
import { percent } from '../parts/text/format.ts';
import { Name } from '../parts/text/name.tsx';
import { Waiting } from './waiting.tsx';

const MOST_UNPRICED = 0.01;
/** For how long a page is held up. */
const PATIENCE_MS = 3_000;
/** The pages of budgets and webhooks ask oftener. */
const POLL_MS = { budgets: 60_000, webhooks: 120_000, held: 120_000 };

/**
 * The page below its warnings: failing webhooks, exceeded budgets, held signals, usage without a price. It
 * waits a little for them, so that they do not push it away under the pointer.
 */
export function Banners({ children }: { children: React.ReactNode }) {
  const webhooks = useQuery({ ...webhooksQuery(), enabled: useIsAdmin(), refetchInterval: POLL_MS.webhooks });
  const budgets = useQuery({ ...budgetsQuery(), refetchInterval: POLL_MS.budgets });
  const held = useQuery({ ...heldQuery(1), enabled: useIsAdmin(), refetchInterval: POLL_MS.held });
  const failing = webhooks.data?.data.filter(({ status }) => status === 'failing') ?? [];
  const exceeded = budgets.data?.data.filter(({ state }) => state === 'exceeded') ?? [];
  const [isLate, setLate] = useState(false);
  useTimeout(() => setLate(true), PATIENCE_MS, { autoInvoke: true });
  if (
    !isLate &&
    [webhooks, budgets, held].some(({ isLoading, failureCount }) => isLoading && failureCount === 0)
  )
    return <Waiting />;
  return (
    <>
      <Stack gap="sm" role="status" className="banners">
        <Banner
          of={failing.map(({ id, url, held }) => ({
            id,
            path: `/webhooks/${id}`,
            name: url,
            note: `${held} held`,
          }))}
          one="A webhook is failing"
          many="webhooks are failing"
          all="/webhooks"
        />
        <Banner
          of={exceeded.map(({ id, name, utilization_pct }) => ({
            id,
            path: `/budgets/${id}`,
            name,
            note: percent(utilization_pct / 100, 0),
          }))}
          one="A budget is exceeded"
          many="budgets are exceeded"
          all="/budgets"
        />
        <Held count={held.data?.total ?? 0} />
        <Unpriced />
      </Stack>
      {children}
    </>
  );
}

interface Concern {
  id: string;
  path: string;
  name: string;
  note: string;
}

/** One line, however many there are: the only one by its name, several by their number. */
function Banner({
  of: concerns,
  one,
  many,
  all,
}: {
  of: readonly Concern[];
  one: string;
  many: string;
  all: string;
}) {
  const [first] = concerns;
  if (!first) return null;
  const isAlone = concerns.length === 1;
  return (
    <Warning>
      <Anchor component={Link} to={isAlone ? first.path : all}>
        {isAlone ? one : `${concerns.length} ${many}`}
      </Anchor>
      : <Name of={first.name} /> ({first.note}){isAlone ? '' : ` and ${concerns.length - 1} more`}
    </Warning>
  );
}

function Held({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <Warning>
      <Anchor component={Link} to="/sessions">
        {count === 1 ? 'A signal is held' : `${count} signals are held`}
      </Anchor>
      : no figure counts {count === 1 ? 'it' : 'them'} until an admin decides
    </Warning>
  );
}

const MONEY_PAGES = ['/', '/sessions', '/export'];

/** Warns of models without a price, on pages that show the cost of the range. */
function Unpriced() {
  const { pathname } = useLocation();
  const usage = useQuery({
    ...useUsageNow(),
    enabled: MONEY_PAGES.includes(pathname),
  });
  if (!usage.data || !MONEY_PAGES.includes(pathname)) return null;
  const { totals } = usage.data;
  const share = totals.signals > 0 ? totals.unpriced_signals / totals.signals : 0;
  if (share <= MOST_UNPRICED) return null;
  const models = groupsBy(usage.data, 'model').flatMap(({ value, unpriced_signals }) =>
    unpriced_signals > 0 ? [value ?? 'others'] : [],
  );
  return (
    <Warning>
      {percent(share)} of the signals in this range have no known price, so the true cost is higher:{' '}
      <Name of={models.join(', ')} />
    </Warning>
  );
}

function Warning({ children }: { children: React.ReactNode }) {
  return (
    <Alert
      variant="outline"
      color="orange"
      py="xs"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      className="banner"
    >
      <div className="clip-lines">{children}</div>
    </Alert>
  );
}
