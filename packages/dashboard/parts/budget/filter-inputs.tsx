import { SimpleGrid, TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Budget } from '../../data/queries.ts';
import { usageQuery } from '../../data/queries.ts';
import { dateIn, plusDays } from '../../data/range.ts';
import { useMe } from '../../data/use-me.ts';
import type { Field } from '../form/fields.tsx';
import { Choice } from '../form/fields.tsx';

type Filter = NonNullable<Budget['filter']>;

const COUNTED = { all: 'All calls', some: 'Only some of them' } as const;

/** Providers that are suggested, as the price list names them. Any other may be typed. */
const PROVIDERS = ['anthropic', 'aws', 'azure', 'google', 'mistral', 'openai', 'openrouter', 'unknown'];
const MOST_VALUES = 20;
const MOST_CHARACTERS = 128;
const SUGGESTED_DAYS = 30;

/** True for a filter that names nothing yet. */
export function isEmptyFilter(filter: Budget['filter']): boolean {
  return filter !== null && Object.values(filter).every((list) => !list?.length);
}

/** The inputs for the calls that a budget counts: known models and tools are suggested, any other may be typed. */
export function FilterInputs({ value, onChange }: Field<Budget['filter']>) {
  const models = useUsed('model', value !== null);
  const adapters = useUsed('adapter', value !== null);
  const list = (name: keyof Filter) => ({
    maxTags: MOST_VALUES,
    maxLength: MOST_CHARACTERS,
    value: value?.[name] ?? [],
    onChange: (values: string[]) => {
      const { [name]: _, ...others } = value ?? {};
      onChange(values.length > 0 ? { ...others, [name]: values } : others);
    },
  });
  return (
    <>
      <Choice
        label="Which calls"
        of={COUNTED}
        value={value === null ? 'all' : 'some'}
        onChange={(counted) => onChange(counted === 'all' ? null : {})}
        error={isEmptyFilter(value) && 'Name at least one model, provider or tool'}
      />
      {value !== null && (
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <TagsInput
            label="Models"
            description="gpt-5* also counts gpt-5-mini"
            data={models}
            {...list('models')}
          />
          <TagsInput
            label="Providers"
            description="That sold the call"
            data={PROVIDERS}
            {...list('providers')}
          />
          <TagsInput label="Tools" description="That made the call" data={adapters} {...list('adapters')} />
        </SimpleGrid>
      )}
    </>
  );
}

/** The models or tools that were used lately, the most expensive first. */
function useUsed(by: 'model' | 'adapter', isAsked: boolean): string[] {
  const { timezone } = useMe().org;
  const from = plusDays(dateIn(timezone, Date.now()), 1 - SUGGESTED_DAYS);
  const { data } = useQuery({ ...usageQuery({ from, group_by: by }), enabled: isAsked });
  return (data?.groups ?? [])
    .toSorted((a, b) => b.cost_usd - a.cost_usd)
    .flatMap(({ key }) => key?.[by] ?? []);
}
