import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Budget } from '../../data/queries.ts';
import { orgUsageQuery, usageQuery } from '../../data/queries.ts';
import { dateIn, plusDays } from '../../data/range.ts';
import { useMe } from '../../data/use-me.ts';
import { amount, percent } from '../text/format.ts';

const SPAN_DAYS = { hourly: 1, daily: 1, weekly: 7, monthly: 30, quarterly: 90, total: 30 } as const;

/** Recent usage as a share of a threshold. Shows nothing until the scope is chosen. */
export function RecentUsage({
  draft: { scope, scope_id, metric, threshold, window, rolling_days },
}: {
  draft: Pick<Budget, 'scope' | 'scope_id' | 'metric' | 'threshold' | 'window' | 'rolling_days'>;
}) {
  const { org } = useMe();
  const days = window === 'rolling' ? (rolling_days ?? 1) : SPAN_DAYS[window];
  const asked = {
    from: plusDays(dateIn(org.timezone, Date.now()), 1 - days),
    interval: window === 'hourly' ? 'hour' : 'day',
  } as const;
  const isKnown = scope === 'org' || scope_id !== '';
  const filter = scope === 'org' ? {} : { [`${scope}_id`]: scope_id };
  const own = useQuery({
    ...usageQuery({ ...asked, ...filter }),
    enabled: isKnown && scope !== 'team',
  });
  const ofTeam = useQuery({
    ...orgUsageQuery(org.id, { ...asked, team: scope_id }),
    enabled: isKnown && scope === 'team',
  });
  const { data } = scope === 'team' ? ofTeam : own;
  if (!isKnown || !data) return null;
  const { totals } = data;
  const used = metric === 'tokens' ? totals.tokens_in + totals.tokens_out : totals[metric];
  const per = window === 'hourly' ? used / 24 : used;
  const span = days === 1 ? 'today' : `the last ${days} days`;
  const share = threshold > 0 ? ` That is ${percent(per / threshold, 0)} of this threshold.` : '';
  return (
    <Alert variant="light" color="gray" role="status">
      Used {span}: {amount(metric, used)}
      {window === 'hourly' ? `, ${amount(metric, per)} per hour of the day on average.` : '.'}
      {share}
    </Alert>
  );
}
