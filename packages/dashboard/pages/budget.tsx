import { Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { api, take } from '../data/client.ts';
import type { Budget } from '../data/queries.ts';
import { budgetQuery } from '../data/queries.ts';
import { useAct, useDeletion } from '../data/use-act.ts';
import { useIsAdmin } from '../data/use-me.ts';
import { BudgetUsed, usedPercent } from '../parts/budget/bar.tsx';
import { holdsReservations, RaisedUntil, Stop } from '../parts/budget/enforcement.tsx';
import { BudgetForm } from '../parts/budget/form.tsx';
import { BudgetHistory, UsedBefore } from '../parts/budget/history.tsx';
import { peopleWords } from '../parts/budget/people-words.ts';
import { StandingBar, StandingLegend } from '../parts/budget/standing-bar.tsx';
import { BudgetUsage } from '../parts/budget/usage.tsx';
import { windowWords } from '../parts/budget/window-inputs.tsx';
import { WithoutPrice } from '../parts/budget/without-price.tsx';
import { forecastWords, scopeWords } from '../parts/budget/words.ts';
import { ActButton } from '../parts/form/act-button.tsx';
import { Dialog } from '../parts/form/dialog.tsx';
import { Load } from '../parts/page/load.tsx';
import { Page } from '../parts/page/page.tsx';
import { type Column, QueryRows, Rows } from '../parts/page/rows.tsx';
import { Section } from '../parts/page/section.tsx';
import { Facts } from '../parts/text/facts.tsx';
import { FilterLink } from '../parts/text/filter-link.tsx';
import { State } from '../parts/text/state.tsx';
import { UserName, useNames } from '../parts/text/user-name.tsx';
import { Amount } from '../parts/text/values.tsx';
import { When } from '../parts/time/when.tsx';
import { SectionsOfWings } from '../wings/sections.tsx';

const BudgetPeople = lazy(async () => ({
  default: (await import('../parts/budget/people.tsx')).BudgetPeople,
}));

const BudgetAlerts = lazy(async () => ({
  default: (await import('../parts/budget/alerts.tsx')).BudgetAlerts,
}));

/** One budget: its present window, the windows before, and its warnings. */
export function BudgetDetail() {
  const { id = '' } = useParams({ strict: false });
  const budget = useQuery(budgetQuery(id));
  const names = useNames();
  return (
    <Page
      back={{ to: '/budgets', label: 'Budgets' }}
      title={budget.data?.name ?? 'Budget'}
      lead={budget.data && `${scopeWords(budget.data, names)}, ${windowWords(budget.data)}`}
      actions={budget.data && <Actions budget={budget.data} />}
    >
      <Load query={budget} height={200}>
        {(data) => <Standing budget={data} />}
      </Load>
      {budget.data && (
        <Suspense>
          <BudgetAlerts budget={budget.data} />
        </Suspense>
      )}
      {budget.data?.per && (
        <Suspense>
          <BudgetPeople budget={budget.data} />
        </Suspense>
      )}
      {budget.data && <SectionsOfWings at="budget" />}
      {budget.data && <BudgetUsage budget={budget.data} />}
      {budget.data && <BudgetHistory budget={budget.data} />}
      {!budget.isLoadingError && <Firings id={id} />}
    </Page>
  );
}

function Standing({ budget }: { budget: Budget }) {
  const { metric, threshold_now, remaining, window_start, window_end, counted_from } = budget;
  const { state } = budget;
  const people = peopleWords(budget, useNames());
  const facts = {
    State: <State of={state} />,
    Used: (
      <Group gap="xs">
        <BudgetUsed budget={budget} /> ({usedPercent(budget)})
      </Group>
    ),
    ...(window_end === null ? {} : { 'In the window before': <UsedBefore budget={budget} /> }),
    Of: (
      <>
        <Amount metric={metric} of={threshold_now} />
        <RaisedUntil budget={budget} />
      </>
    ),
    Left: <Amount metric={metric} of={remaining} />,
    ...(holdsReservations(budget) ? { Reserved: <Reserved budget={budget} /> } : {}),
    'Starts again': window_end === null ? 'never' : <When at={window_end} />,
    ...(counted_from > window_start ? { 'Counts from': <When at={counted_from} /> } : {}),
    Timezone: budget.timezone,
    ...scopeOf(budget),
  };
  return (
    <Paper withBorder p="md">
      <Stack>
        <StandingBar budget={budget} />
        <StandingLegend of={[budget]} />
        {people && <Text size="sm">{people}</Text>}
        <Facts of={facts} lg={Object.keys(facts).length} />
        <Stop budget={budget} />
        <Text size="sm">{forecastWords(budget)}</Text>
        {metric === 'cost_usd' && budget.unpriced_signals > 0 && <WithoutPrice budget={budget} />}
      </Stack>
    </Paper>
  );
}

/** The project, the team or the person that a budget counts, with the way to its usage. */
function scopeOf({ scope, scope_id }: Budget): Record<string, React.ReactNode> {
  if (scope === 'org') return {};
  if (scope === 'user') return { Person: <UserName id={scope_id} /> };
  if (scope === 'team') return { Team: <FilterLink by="team" of={scope_id} /> };
  return { Project: <FilterLink by="project_id" of={scope_id} /> };
}

function Reserved({ budget: { metric, reserved } }: { budget: Budget }) {
  return reserved === null ? 'cannot be read now' : <Amount metric={metric} of={reserved} />;
}

interface Firing {
  level: 'warning' | 'exceeded';
  revision: number;
  window_start: string;
  fired_at: string;
  event_id: string | null;
}

const COLUMNS: readonly Column<Firing>[] = [
  { label: 'Level', isShort: true, narrow: 'first', render: ({ level }) => <State of={level} /> },
  { label: 'When', isShort: true, narrow: 'first', render: ({ fired_at }) => <When at={fired_at} /> },
  { label: 'Window from', isShort: true, render: ({ window_start }) => <When at={window_start} /> },
];

const DETAILS: readonly Column<Firing>[] = [
  { label: 'Level', isShort: true, narrow: 'first', render: ({ level }) => level },
  { label: 'When', isShort: true, narrow: 'first', render: ({ fired_at }) => <When at={fired_at} /> },
  { label: 'Revision', isNumber: true, render: ({ revision }) => revision },
  { label: 'Event', render: ({ event_id }) => event_id ?? 'none: the window was over' },
];

const keyOf = ({ level, revision, window_start }: Firing) => `${level} ${revision} ${window_start}`;

function Firings({ id }: { id: string }) {
  const events = useQuery({
    queryKey: ['budgets', id, 'events'],
    queryFn: () =>
      take(api.GET('/api/v1/budgets/{id}/events', { params: { path: { id }, query: { limit: 50 } } })),
    refetchInterval: 10_000,
  });
  return (
    <Section title="Warnings">
      <QueryRows
        query={events}
        label="Warnings"
        columns={COLUMNS}
        keyOf={keyOf}
        empty={<Text c="dimmed">None yet: it has not reached 80 % in a window that is kept.</Text>}
      />
      {events.data && events.data.data.length > 0 && (
        <details>
          <summary>Details</summary>
          <Rows label="Details" rows={events.data.data} columns={DETAILS} keyOf={keyOf} />
        </details>
      )}
    </Section>
  );
}

function Actions({ budget }: { budget: Budget }) {
  const isAdmin = useIsAdmin();
  const remove = useDeletion(
    () => take(api.DELETE('/api/v1/budgets/{id}', { params: { path: { id: budget.id } } })),
    { list: 'budgets', done: 'The budget is deleted.' },
  );
  const raises = <SectionsOfWings at="budget actions" />;
  if (!isAdmin) return raises;
  return (
    <Group gap="sm">
      {raises}
      {holdsReservations(budget) && <Release id={budget.id} />}
      <Dialog label="Edit" title="Edit the budget" size="lg">
        {(close) => <BudgetForm budget={budget} onDone={close} />}
      </Dialog>
      <ActButton
        act={remove}
        question={{
          title: 'Delete this budget?',
          text: 'It fires no more, and its history goes with it.',
          yes: 'Delete',
        }}
      >
        Delete
      </ActButton>
    </Group>
  );
}

function Release({ id }: { id: string }) {
  const release = useAct(
    () => take(api.POST('/v1/budgets/{id}/release-reservations', { params: { path: { id } }, body: {} })),
    { changes: ['budgets'], done: 'The reservations are released.' },
  );
  return (
    <ActButton
      act={release}
      question={{
        title: 'Release all reservations?',
        text:
          'Calls that are under way go on. Their cost counts when it is reported, so the budget may pass its ' +
          'threshold by that much.',
        yes: 'Release',
      }}
    >
      Release reservations
    </ActButton>
  );
}
