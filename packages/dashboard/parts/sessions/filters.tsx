import { Button, NumberInput, Popover, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { groupsBy } from '../../data/groups.ts';
import { organizationQuery } from '../../data/queries.ts';
import { DIMENSIONS, type Dimension } from '../../data/range.ts';
import { type SessionFilters, useSessionSearch } from '../../data/session-search.ts';
import { usageValues } from '../../data/usage-questions.ts';
import { seesTeams, useMe } from '../../data/use-me.ts';
import { useChangeSearch, useFilters, useRange } from '../../data/use-range.ts';
import { SearchSelect } from '../form/search-select.tsx';
import { FilterPill } from '../page/range-bar.tsx';
import { money } from '../text/format.ts';
import { plainName } from '../text/plain-name.ts';
import { useNames } from '../text/user-name.tsx';
import { WorkButton } from '../work/button.tsx';

/** Every filter of sessions beside the range. The values are read after the list itself. */
export function SessionFilterBar({ isReady }: { isReady: boolean }) {
  return (
    <>
      {DIMENSIONS.map((name) => (
        <ValueFilter key={name} name={name} isReady={isReady} />
      ))}
      {seesTeams(useMe()) && <TeamFilter />}
      <WorkButton />
      <MoreFilters />
      <SessionPills />
    </>
  );
}

const ANY: Record<Dimension, string> = {
  user_id: 'Any user',
  project_id: 'Any project',
  model: 'Any model',
  adapter: 'Any tool',
};

/** A filter with the values of the range's usage, by cost. */
function ValueFilter({ name, isReady }: { name: Dimension; isReady: boolean }) {
  const range = useRange();
  const filters = useFilters();
  const names = useNames();
  const found = useQuery({ ...usageValues(range), staleTime: 60_000, enabled: isReady });
  const values = found.data ? groupsBy(found.data, name).flatMap(({ value }) => value ?? []) : [];
  const chosen = filters[name];
  const all = chosen === undefined || values.includes(chosen) ? values : [chosen, ...values];
  return (
    <SearchSelect
      name={name}
      aria-label={ANY[name].replace('Any ', 'Filter by ')}
      none={ANY[name]}
      data={all.map((value) => ({
        value,
        label: (name === 'user_id' && names.get(value)) || plainName(value),
      }))}
      maw={140}
    />
  );
}

function TeamFilter() {
  const organization = useQuery({ ...organizationQuery(), staleTime: 300_000 });
  const chosen = useFilters().team;
  const teams = organization.data?.teams ?? [];
  const all = chosen === undefined || teams.includes(chosen) ? teams : [chosen, ...teams];
  if (all.length === 0) return null;
  return (
    <SearchSelect
      name="team"
      aria-label="Filter by team"
      none="Any team"
      data={all.map((value) => ({ value, label: plainName(value) }))}
      maw={140}
    />
  );
}

const CHOICES = {
  errors: { label: 'Errors', true: 'With errors', false: 'Without errors' },
  anomalous: { label: 'Anomalies', true: 'With anomalies', false: 'Without anomalies' },
  state: { label: 'State', open: 'Open', ended: 'Ended' },
} as const;

/** The filters that few need at a time, behind a button. */
function MoreFilters() {
  const [opened, { toggle, close }] = useDisclosure();
  return (
    <Popover opened={opened} onChange={close} trapFocus withinPortal position="bottom-start">
      <Popover.Target>
        <Button variant="default" onClick={toggle}>
          More filters …
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm" w={220}>
          {Object.entries(CHOICES).map(([name, { label, ...choices }]) => (
            <SearchSelect
              key={name}
              name={name}
              label={label}
              none="Any"
              data={Object.entries(choices).map(([value, words]) => ({ value, label: words }))}
            />
          ))}
          <LeastCost onDone={close} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function LeastCost({ onDone }: { onDone: () => void }) {
  const change = useChangeSearch();
  const [usd, setUsd] = useState<string | number>(useSessionSearch().filters.min_cost_usd ?? '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change({ min_cost_usd: usd === '' ? undefined : String(usd) });
        onDone();
      }}
    >
      <Stack gap="sm">
        <NumberInput
          label="Cost at least"
          prefix="$"
          thousandSeparator=","
          allowNegative={false}
          decimalScale={9}
          max={1_000_000}
          value={usd}
          onChange={setUsd}
        />
        <Button type="submit" variant="default">
          Show these
        </Button>
      </Stack>
    </form>
  );
}

/** The filters that are chosen, as pills to take them away by. */
function SessionPills() {
  const { filters } = useSessionSearch();
  return (Object.keys(filters) as (keyof SessionFilters)[]).map((name) => (
    <FilterPill key={name} name={name} label={PILLS[name]}>
      {wordsOf(name, filters[name] ?? '')}
    </FilterPill>
  ));
}

const PILLS: Record<keyof SessionFilters, string> = {
  errors: 'Errors',
  anomalous: 'Anomalies',
  state: 'State',
  min_cost_usd: 'Cost',
};

function wordsOf(name: keyof SessionFilters, value: string): string {
  if (name === 'min_cost_usd') return `at least ${money(Number(value))}`;
  const words: Readonly<Record<string, string>> = CHOICES[name];
  return words[value] ?? value;
}
