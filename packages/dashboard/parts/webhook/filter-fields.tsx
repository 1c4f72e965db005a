import { MultiSelect, SimpleGrid, TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../data/client.ts';
import { budgetsQuery, organizationQuery } from '../../data/queries.ts';
import { Choice, type Field } from '../form/fields.tsx';
import { plainName } from '../text/plain-name.ts';
import { useMemberChoice } from '../text/user-name.tsx';

export type ChannelFilter = NonNullable<AnswerOf<'/api/v1/webhooks/{id}'>['filter']>;

const ABOUT = { all: 'Everything in the organization', some: 'Only some of it' };

const MOST = 100;

/** The only things that a channel is told about. Projects are typed, all else is chosen by name. */
export function FilterFields({ value, onChange }: Field<ChannelFilter | null>) {
  const isAsked = value !== null;
  const organization = useQuery({ ...organizationQuery(), enabled: isAsked });
  const budgets = useQuery({ ...budgetsQuery(), enabled: isAsked });
  const members = useMemberChoice(isAsked) ?? {};
  const list = (name: keyof ChannelFilter) => ({
    value: value?.[name] ?? [],
    onChange: (ids: string[]) => {
      const { [name]: _, ...others } = value ?? {};
      onChange(ids.length > 0 ? { ...others, [name]: ids } : others);
    },
  });
  const known = (name: keyof ChannelFilter, labels: Readonly<Record<string, string>>) => {
    const ids = [...new Set([...Object.keys(labels), ...(value?.[name] ?? [])])];
    const data = ids.map((id) => ({ value: id, label: labels[id] ?? id }));
    return { ...list(name), data, maxValues: MOST, searchable: true, nothingFoundMessage: 'None' };
  };
  const teams = Object.fromEntries((organization.data?.teams ?? []).map((team) => [team, team]));
  const named = Object.fromEntries((budgets.data ?? []).map(({ id, name }) => [id, plainName(name)]));
  return (
    <>
      <Choice
        label="About"
        description="A message about a person also goes to the channels of the person’s teams."
        of={ABOUT}
        value={isAsked ? 'some' : 'all'}
        onChange={(about) => onChange(about === 'all' ? null : {})}
        error={isEmptyFilter(value) && 'Name at least one team, project, budget or person'}
      />
      {isAsked && (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <MultiSelect label="Teams" {...known('teams', teams)} />
          <TagsInput label="Projects" description="By their ids" maxTags={MOST} {...list('projects')} />
          <MultiSelect label="Budgets" {...known('budgets', named)} />
          <MultiSelect label="People" {...known('people', members)} />
        </SimpleGrid>
      )}
    </>
  );
}

/** True for a filter that names nothing yet. */
export function isEmptyFilter(filter: ChannelFilter | null): boolean {
  return filter !== null && Object.values(filter).every((ids) => !ids?.length);
}

/** A filter in words: how many of each it names. */
export function filterWords(filter: ChannelFilter | null | undefined): string {
  if (!filter) return 'everything';
  const { teams = [], projects = [], budgets = [], people = [] } = filter;
  return [
    ...teams,
    ...projects,
    ...(budgets.length === 0 ? [] : [budgets.length === 1 ? '1 budget' : `${budgets.length} budgets`]),
    ...(people.length === 0 ? [] : [people.length === 1 ? '1 person' : `${people.length} people`]),
  ].join(', ');
}
