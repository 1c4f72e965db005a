import { useQuery } from '@tanstack/react-query';
import {
  budgetsQuery,
  membersQuery,
  preferencesQuery,
  sessionsQuery,
  webhooksQuery,
} from '../../data/queries.ts';
import { useUsageNow } from '../../data/usage.tsx';
import { isChannel } from '../../parts/webhook/words.ts';

/** The first steps of an organization, each with whether it is done. */
export type Steps = Record<'connect' | 'invite' | 'budget' | 'alert', boolean>;

/** The steps, read from what is there; null while they are not known, and once all are done. */
export function useSteps(): Steps | null {
  const preferences = useQuery(preferencesQuery());
  const follow = { refetchInterval: false } as const;
  const usage = useQuery(useUsageNow());
  const isQuiet = usage.data !== undefined && usage.data.totals.signals === 0;
  // Signals may be older than the range.
  const sessions = useQuery({ ...sessionsQuery({ limit: 1 }), enabled: isQuiet });
  const members = useQuery(membersQuery());
  const budgets = useQuery({ ...budgetsQuery(), ...follow });
  const webhooks = useQuery({ ...webhooksQuery(), ...follow });
  const isKnown =
    preferences.data &&
    usage.data &&
    members.data &&
    budgets.data &&
    webhooks.data &&
    (!isQuiet || sessions.data !== undefined);
  if (!isKnown) return null;
  const steps: Steps = {
    connect: !isQuiet || (sessions.data?.total ?? 0) > 0,
    invite: members.data.data.length > 1,
    budget: budgets.data.length > 0,
    alert: webhooks.data.data.some(isChannel) || preferences.data.digest !== 'none',
  };
  return Object.values(steps).every(Boolean) ? null : steps;
}
