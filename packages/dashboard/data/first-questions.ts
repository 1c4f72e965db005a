import type { Watch } from '../hooks/concern.ts';
import type { FirstQuestion } from '../hooks/wing.ts';
import {
  budgetsQuery,
  membersQuery,
  meQuery,
  ownVerdictQuery,
  preferencesQuery,
  webhooksQuery,
} from './queries.ts';
import { queryClient } from './query-client.ts';
import { filtersOf, rangeOf, readShared } from './range.ts';
import { usageBefore, usageNow } from './usage-questions.ts';
import { seesTeams, teamsOf } from './use-me.ts';

/**
 * Asks for what the first page will ask for, into the memory where it will look: the person, then the warnings above every
 * page, and all of Overview, where most people begin. `watches` are questions of admins, `ofOverview` those of wings on that page. Never throws: what fails is asked for by the page, which shows why.
 */
export async function ask(
  { pathname, search }: Pick<Location, 'pathname' | 'search'>,
  { watches, ofOverview }: { watches: readonly Watch[]; ofOverview: readonly FirstQuestion[] },
): Promise<void> {
  await queryClient.prefetchQuery(meQuery());
  const me = queryClient.getQueryData(meQuery().queryKey);
  if (!me) return;
  void queryClient.prefetchQuery(budgetsQuery());
  void queryClient.prefetchQuery(preferencesQuery());
  if (me.role === 'admin') {
    void queryClient.prefetchQuery(webhooksQuery());
    for (const { queryKey, queryFn } of watches) void queryClient.prefetchQuery({ queryKey, queryFn });
  } else void queryClient.prefetchQuery(ownVerdictQuery());
  if (!/^\/dashboard\/?$/.test(pathname)) return;
  const shared = readShared(Object.fromEntries(new URLSearchParams(search)));
  const range = rangeOf(shared, me.org.timezone, Date.now());
  const filters = filtersOf(shared, seesTeams(me));
  const usage = queryClient.prefetchQuery(usageNow(range, filters, teamsOf(me)));
  for (const askFirst of ofOverview) void askFirst(queryClient);
  if (me.role === 'admin') void queryClient.prefetchQuery(membersQuery());
  await usage;
  await queryClient.prefetchQuery(usageBefore(range, filters, teamsOf(me)));
}
