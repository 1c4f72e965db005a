import { Group, Stack, Text } from '@mantine/core';
import { queryOptions } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../../data/client.ts';
import type { Budget } from '../../data/queries.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsAdmin } from '../../data/use-me.ts';
import { ActForm, useDraft } from '../form/act-form.tsx';
import { Dialog } from '../form/dialog.tsx';
import { Choice } from '../form/fields.tsx';
import { NumberField } from '../form/number-field.tsx';
import { SuggestedText } from '../form/suggestions.tsx';
import { PagedRows, usePages } from '../page/pager.tsx';
import type { Column } from '../page/rows.tsx';
import { Section } from '../page/section.tsx';
import { amount, percent } from '../text/format.ts';
import { State } from '../text/state.tsx';
import { UserName, useMemberChoice, useNames } from '../text/user-name.tsx';
import { Amount } from '../text/values.tsx';
import { When } from '../time/when.tsx';
import { EXCEPTIONS, type Exception, exceptionOf, type Person } from './exception.ts';
import { StandingBar } from './standing-bar.tsx';

const STATES = { any: 'Everybody', exceeded: 'Stopped or exceeded', warning: 'Near', ok: 'Others' };

/** The people of a template: how far each is, a search, and the exception of one of them. */
export function BudgetPeople({ budget }: { budget: Budget }) {
  const isAdmin = useIsAdmin();
  const members = Object.entries(useMemberChoice(isAdmin) ?? {});
  const [person, setPerson] = useState('');
  const [state, setState] = useState<keyof typeof STATES>('any');
  const asked = {
    limit: 20,
    ...(person === '' ? {} : { user_id: person }),
    ...(state === 'any' ? {} : { state }),
  };
  const pages = usePages(`people ${budget.id} ${person} ${state}`, (cursor) =>
    queryOptions({
      queryKey: ['budgets', budget.id, 'people', asked, cursor],
      queryFn: () =>
        take(
          api.GET('/api/v1/budgets/{id}/people', {
            params: { path: { id: budget.id }, query: { ...asked, ...cursor } },
          }),
        ),
      refetchInterval: 10_000,
    }),
  );
  return (
    <Section title="People" aside={isAdmin && <AddException budget={budget} members={members} />}>
      {isAdmin && (
        <Group gap="sm" align="end">
          <SuggestedText
            label="Find a person"
            suggestions={members.map(([value, label]) => ({ value, label }))}
            maxLength={256}
            value={person}
            onChange={setPerson}
          />
          <Choice label="Show" of={STATES} value={state} onChange={setState} />
        </Group>
      )}
      <PagedRows
        pages={pages}
        label="People"
        columns={columnsOf(budget, isAdmin)}
        keyOf={({ user_id }) => user_id}
        empty={
          <Text c="dimmed">
            {person === '' && state === 'any'
              ? 'Nobody has used any of it in this window.'
              : 'Nobody who has used it in this window fits.'}
          </Text>
        }
      />
    </Section>
  );
}

function columnsOf(budget: Budget, isAdmin: boolean): readonly Column<Person>[] {
  const { metric } = budget;
  const columns: Column<Person>[] = [
    {
      label: 'Person',
      isHeading: true,
      share: 34,
      narrow: 'first',
      render: (person) => <PersonBar budget={budget} person={person} />,
    },
    { label: 'State', isShort: true, narrow: 'first', render: (person) => <PersonState person={person} /> },
    { label: 'Used', isNumber: true, render: ({ current }) => <Amount metric={metric} of={current} /> },
    { label: 'Of', isNumber: true, render: ({ threshold_now }) => limitWords(metric, threshold_now) },
    {
      label: '%',
      isNumber: true,
      isNameless: true,
      render: (person) => percent(person.utilization_pct / 100, 0),
    },
  ];
  if (!isAdmin) return columns;
  return [
    ...columns,
    { label: '', isNameless: true, render: (person) => <Change budget={budget} person={person} /> },
  ];
}

/** A person, with the bar of the person's own limit. */
function PersonBar({ budget: { metric }, person }: { budget: Budget; person: Person }) {
  const { user_id, threshold_now, raised, raised_until } = person;
  const name = useNames().get(user_id) ?? user_id;
  return (
    <Stack gap={4} miw={160}>
      <UserName id={user_id} />
      {threshold_now !== null && <StandingBar budget={{ ...person, name, metric, threshold_now }} />}
      {raised_until !== null && (
        <Text size="xs" c="dimmed">
          {amount(metric, raised)} raised until <When at={raised_until} />
        </Text>
      )}
    </Stack>
  );
}

function limitWords(metric: Budget['metric'], threshold: number | null): string {
  return threshold === null ? 'no limit' : amount(metric, threshold);
}

function PersonState({ person: { exempt, refuses_now, state } }: { person: Person }) {
  if (exempt) return <State of="ok">exempt</State>;
  return refuses_now ? <State of="exceeded">stopped</State> : <State of={state} />;
}

function Change({ budget, person }: { budget: Budget; person: Person }) {
  return (
    <Dialog label="Change" title="The limit of one person">
      {(close) => <ExceptionForm budget={budget} from={exceptionOf(person, budget)} onDone={close} />}
    </Dialog>
  );
}

function AddException({
  budget,
  members,
}: {
  budget: Budget;
  members: readonly (readonly [string, string])[];
}) {
  return (
    <Dialog label="Another limit for one person" title="The limit of one person">
      {(close) => (
        <ExceptionForm
          budget={budget}
          from={{ user_id: '', rule: 'own', threshold: budget.threshold }}
          members={members}
          onDone={close}
        />
      )}
    </Dialog>
  );
}

/** Sets the exception of one person, or ends it. Without `members` the person is the one of `from`. */
function ExceptionForm({
  budget: { id, metric },
  from,
  members,
  onDone,
}: {
  budget: Budget;
  from: Exception;
  members?: readonly (readonly [string, string])[];
  onDone: () => void;
}) {
  const { draft, field } = useDraft(from);
  const { user_id, rule, threshold } = draft;
  const params = { path: { id, user_id } };
  const path = '/api/v1/budgets/{id}/people/{user_id}';
  const act = useAct(
    async (_: undefined) => {
      if (rule === 'none') return take(api.DELETE(path, { params }));
      return take(api.PUT(path, { params, body: rule === 'exempt' ? { exempt: true } : { threshold } }));
    },
    { changes: ['budgets'], done: 'The limit of this person is changed.', onDone },
  );
  return (
    <ActForm act={act} submit="Save" onCancel={onDone} isReady={user_id !== ''}>
      {members ? (
        <SuggestedText
          label="Person"
          required
          maxLength={256}
          data-autofocus
          suggestions={members.map(([value, label]) => ({ value, label }))}
          {...field('user_id')}
        />
      ) : (
        <Text>
          <UserName id={user_id} />
        </Text>
      )}
      <Choice label="Limit" of={EXCEPTIONS} {...field('rule')} />
      {rule === 'own' && (
        <NumberField
          label="Threshold"
          min={0}
          prefix={metric === 'cost_usd' ? '$' : ''}
          {...field('threshold')}
        />
      )}
    </ActForm>
  );
}
