import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { budgetQuery } from '../../data/queries.ts';
import { dateIn, plusDays } from '../../data/range.ts';
import { useIsAdmin, useMe } from '../../data/use-me.ts';
import { useFilters } from '../../data/use-range.ts';
import { Load } from '../../parts/page/load.tsx';
import { Section } from '../../parts/page/section.tsx';
import { useZone } from '../../parts/time/when.tsx';
import { refusalsQuery } from './queries.ts';
import { RefusalRows } from './rows.tsx';
import { refusedWords } from './words.ts';

const DAYS = 30;

/** The date so many days ago, which the API takes as its midnight in the organization's timezone. */
function daysAgo(zone: string, days: number): string {
  return plusDays(dateIn(zone, Date.now()), -days);
}

/** On the page of a budget: the calls that it has refused today, and those of a month in a list. */
export function BudgetRefusals() {
  const { id = '' } = useParams({ strict: false });
  const budget = useQuery({ ...budgetQuery(id), refetchInterval: false });
  const zone = useZone();
  const isAdmin = useIsAdmin();
  const today = useQuery(refusalsQuery({ budget_id: id, from: daysAgo(zone, 0) }));
  const month = useQuery(refusalsQuery({ budget_id: id, from: daysAgo(zone, DAYS) }));
  // A budget that only warns may have refused calls before it was changed.
  if (budget.data?.enforce !== 'hard' && !month.data?.rows.length) return null;
  return (
    <Section title="Refused calls">
      <Load query={today}>{(found) => <Text>{refusedWords(found, !isAdmin)}</Text>}</Load>
      {month.data && month.data.rows.length > 0 && (
        <RefusalRows of={month.data.rows} by="person" areAll={month.data.areAll} />
      )}
    </Section>
  );
}

/** On the page of a person: the calls that budgets have refused in a month, if any. */
export function PersonRefusals() {
  const { user_id: userId = '' } = useFilters();
  const zone = useZone();
  const me = useMe();
  const month = useQuery(refusalsQuery({ user_id: userId, from: daysAgo(zone, DAYS) }));
  if (!month.data || month.data.rows.length === 0) return null;
  const title = me.user_id === userId ? 'Your refused calls' : 'Refused calls';
  return (
    <Section title={title}>
      <RefusalRows of={month.data.rows} by="budget" areAll={month.data.areAll} />
    </Section>
  );
}
