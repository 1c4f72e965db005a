import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { type Column, Rows } from '../../parts/page/rows.tsx';
import { FilterLink } from '../../parts/text/filter-link.tsx';
import { exact, money } from '../../parts/text/format.ts';
import { Name } from '../../parts/text/name.tsx';
import { PageLink } from '../../parts/text/page-link.tsx';
import { UserName } from '../../parts/text/user-name.tsx';
import { When } from '../../parts/time/when.tsx';
import type { Refusal } from './queries.ts';
import { CAUSES, WAYS } from './words.ts';

const SHOWN = 10;

const WHEN: Column<Refusal> = {
  label: 'Last',
  isShort: true,
  narrow: 'first',
  render: ({ last_at }) => <When at={last_at} />,
};

const WHO: Column<Refusal> = {
  label: 'Who',
  narrow: 'first',
  share: 20,
  render: ({ user_id }) => (user_id === null ? 'nobody by name' : <UserName id={user_id} />),
};

const BUDGET: Column<Refusal> = {
  label: 'Budget',
  narrow: 'first',
  share: 20,
  render: ({ budget_id, budget_name }) =>
    budget_name === null ? (
      'of your organization'
    ) : (
      <PageLink to={`/budgets/${budget_id}`}>
        <Name of={budget_name} />
      </PageLink>
    ),
};

const REST: readonly Column<Refusal>[] = [
  { label: 'Calls', isNumber: true, isShort: true, narrow: 'first', render: ({ count }) => exact(count) },
  {
    label: 'Tool',
    render: ({ adapter }) => (adapter === null ? 'not named' : <FilterLink by="adapter" of={adapter} />),
  },
  { label: 'Asked by', isShort: true, narrow: 'hidden', render: ({ way }) => WAYS[way] },
  { label: 'Why', isShort: true, isNameless: true, render: ({ cause }) => CAUSES[cause] },
  {
    label: 'Largest estimate',
    isNumber: true,
    narrow: 'hidden',
    render: ({ largest_estimate_usd: usd }) => (usd === null ? 'none' : money(usd)),
  },
];

/** Refused calls in a table, the newest first: by person on the page of a budget, by budget on that of a person. */
export function RefusalRows({
  of,
  by,
  areAll,
}: {
  of: readonly Refusal[];
  by: 'person' | 'budget';
  areAll: boolean;
}) {
  const [areShown, showAll] = useState(false);
  const shown = areShown ? of : of.slice(0, SHOWN);
  return (
    <>
      <Rows
        label="Refused calls"
        rows={shown}
        columns={[WHEN, by === 'person' ? WHO : BUDGET, ...REST]}
        keyOf={({ id }) => id}
      />
      {shown.length < of.length && (
        <div>
          <Button variant="default" size="compact-sm" onClick={() => showAll(true)}>
            Show all {exact(of.length)}
          </Button>
        </div>
      )}
      {areShown && !areAll && <Text c="dimmed">Older ones are in the API.</Text>}
    </>
  );
}
