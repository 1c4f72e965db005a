import { CloseButton, Group, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { keysQuery } from '../../data/queries.ts';
import { plusDays } from '../../data/range.ts';
import { useChangeSearch } from '../../data/use-range.ts';
import { useMemberChoice } from '../text/user-name.tsx';
import { ACTION_GROUPS } from './sentences.ts';

const NAMES = ['action', 'actor', 'from', 'to'] as const;
type Filter = Partial<Record<(typeof NAMES)[number], string>>;

/** Actors that are no person and no key. */
const PROCESSES = { cli: 'the command line', api: 'the service', worker: 'a worker' };

/** The filters of the URL, named as the API's. Dates begin at midnight in the organization's zone, and `to` is exclusive. */
export function useAuditFilter(): Filter {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  return Object.fromEntries(NAMES.flatMap((name) => (search[name] ? [[name, search[name]]] : [])));
}

export function AuditFilters() {
  const filter = useAuditFilter();
  const change = useChangeSearch();
  const people = useMemberChoice() ?? {};
  const keys = useQuery(keysQuery()).data?.data ?? [];
  const actors = [
    { group: 'People', items: optionsOf(people) },
    { group: 'Keys', items: keys.map(({ id, name }) => ({ value: id, label: name ?? id })) },
    { group: 'Other', items: optionsOf(PROCESSES) },
  ];
  const known = actors.flatMap(({ items }) => items.map(({ value }) => value));
  return (
    <Group gap="sm" align="flex-end">
      <NativeSelect
        label="About"
        value={filter.action ?? ''}
        onChange={(event) => change({ action: event.currentTarget.value })}
        data={[
          { value: '', label: 'Everything' },
          ...optionsOf(ACTION_GROUPS),
          ...itself(filter.action, Object.keys(ACTION_GROUPS)),
        ]}
      />
      <NativeSelect
        label="By"
        maw={260}
        value={filter.actor ?? ''}
        onChange={(event) => change({ actor: event.currentTarget.value })}
        data={[{ value: '', label: 'Anybody' }, ...actors, ...itself(filter.actor, known)]}
      />
      <TextInput
        type="date"
        label="From"
        value={filter.from?.slice(0, 10) ?? ''}
        onChange={(event) => change({ from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label="Until"
        value={filter.to ? lastDay(filter.to) : ''}
        onChange={({ currentTarget: { value } }) => change({ to: value && plusDays(value, 1) })}
      />
      {Object.keys(filter).length > 0 && (
        <CloseButton
          size="lg"
          aria-label="Remove all filters"
          onClick={() => change(Object.fromEntries(NAMES.map((name) => [name, undefined])))}
        />
      )}
    </Group>
  );
}

/** A value of the URL that is none of the known, as an option of its own. */
function itself(value: string | undefined, known: readonly string[]) {
  return value === undefined || known.includes(value) ? [] : [{ value, label: value }];
}

function optionsOf(names: Readonly<Record<string, string>>) {
  return Object.entries(names).map(([value, label]) => ({ value, label }));
}

/** The last day before an exclusive end. */
function lastDay(to: string): string {
  return Number.isNaN(Date.parse(to.slice(0, 10))) ? '' : plusDays(to.slice(0, 10), -1);
}
