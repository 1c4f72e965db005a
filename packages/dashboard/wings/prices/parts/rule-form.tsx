import { Checkbox, Group, NumberInput, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { groupsBy } from '../../../data/groups.ts';
import { usageValues } from '../../../data/usage-questions.ts';
import { useAct, useIdempotencyKey } from '../../../data/use-act.ts';
import { useRange } from '../../../data/use-range.ts';
import { ActForm, useDraft } from '../../../parts/form/act-form.tsx';
import { Choice, TextField } from '../../../parts/form/fields.tsx';
import { SuggestedText } from '../../../parts/form/suggestions.tsx';
import { createRule, type NewRule, RULES } from '../queries.ts';
import { NO_PRICES, type Price, PriceFields, type Prices, pricesOf } from './price-fields.tsx';

const EFFECTS = {
  prices: 'Prices of its own',
  discount: 'Off the list price',
  surcharge: 'On top of the list price',
  free: 'Free',
} as const;

interface Draft extends Prices {
  name: string;
  effect: keyof typeof EFFECTS;
  percent: Price;
  model: string;
  provider: string;
  service_tier: string;
  project_id: string;
  from: string;
  to: string;
  replaces_reported: boolean;
}

/** A rule as the form begins: from the first of this month on. */
function newDraft(): Draft {
  const from = `${new Date().toISOString().slice(0, 7)}-01`;
  const match = { model: '', provider: '', service_tier: '', project_id: '' };
  const effect = { effect: 'prices', percent: '', ...NO_PRICES } as const;
  return { name: '', ...effect, ...match, from, to: '', replaces_reported: false };
}

function effectOf({ effect, percent, ...prices }: Draft): Partial<NewRule> | null {
  if (effect === 'free') return { free: true };
  if (effect === 'prices') {
    const usd_per_million = pricesOf(prices);
    return usd_per_million && { usd_per_million };
  }
  if (percent === '' || percent === 0) return null;
  return { discount_percent: effect === 'discount' ? percent : -percent };
}

/** The rule as the API takes it; null while its effect is not complete. */
function bodyOf(draft: Draft): NewRule | null {
  const effect = effectOf(draft);
  if (effect === null) return null;
  const { name, model, provider, service_tier, project_id, from, to, replaces_reported } = draft;
  const matched = Object.entries({ model, provider, service_tier, project_id })
    .map(([field, value]) => [field, value.trim()])
    .filter(([, value]) => value !== '');
  const match = Object.fromEntries(matched) as NewRule['match'];
  return {
    name: name.trim(),
    from,
    ...(to === '' ? {} : { to }),
    match,
    ...effect,
    replaces_reported,
  } as NewRule;
}

/** Creates a price rule for calls that are recorded after it. */
export function RuleForm({ onDone }: { onDone: () => void }) {
  const { draft, field } = useDraft(newDraft());
  const body = bodyOf(draft);
  const header = useIdempotencyKey(body ?? {});
  const create = useAct(async () => body && createRule(body, header), {
    changes: RULES,
    done: 'The rule is created. It prices calls that are recorded from now on.',
    onDone,
  });
  return (
    <ActForm act={create} submit="Create" onCancel={onDone} isReady={body !== null}>
      <TextField
        label="Name"
        required
        maxLength={200}
        data-autofocus
        description="Each call that it prices shows it"
        {...field('name')}
      />
      <EffectFields draft={draft} field={field} />
      <MatchFields field={field} />
      <SimpleGrid cols={2}>
        <TextField
          label="From (UTC)"
          type="date"
          required
          description="By the time of the call, this day included"
          {...field('from')}
        />
        <TextField
          label="Until (UTC)"
          type="date"
          min={draft.from}
          description="This day not included. Left empty: for ever"
          {...field('to')}
        />
      </SimpleGrid>
      <Checkbox
        label="Also in place of a cost that the tool reports"
        description="Else a reported cost stays as it is"
        checked={draft.replaces_reported}
        onChange={(event) => field('replaces_reported').onChange(event.currentTarget.checked)}
      />
      <Text size="sm" c="dimmed">
        Calls that were recorded before keep the cost that they have.
      </Text>
    </ActForm>
  );
}

type FieldOf = ReturnType<typeof useDraft<Draft>>['field'];

function EffectFields({ draft: { effect }, field }: { draft: Draft; field: FieldOf }) {
  const { value, onChange } = field('percent');
  return (
    <>
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <Choice label="Price" of={EFFECTS} {...field('effect')} />
        {(effect === 'discount' || effect === 'surcharge') && (
          <NumberInput
            label="Per cent"
            required
            min={0}
            max={effect === 'discount' ? 100 : 1_000}
            decimalScale={4}
            suffix=" %"
            allowNegative={false}
            hideControls
            value={value}
            onChange={(typed) => onChange(typed === '' ? '' : Number(typed))}
          />
        )}
      </Group>
      {effect === 'prices' && <PriceFields field={field} />}
    </>
  );
}

function MatchFields({ field }: { field: FieldOf }) {
  const usage = useQuery(usageValues(useRange()));
  const suggestionsOf = (by: 'model' | 'project_id') =>
    usage.data ? groupsBy(usage.data, by).flatMap(({ value }) => (value ? [{ value }] : [])) : [];
  return (
    <fieldset className="prices">
      <legend>Calls that it prices</legend>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <SuggestedText
          label="Model"
          placeholder="claude-*"
          maxLength={256}
          suggestions={suggestionsOf('model')}
          {...field('model')}
        />
        <TextField label="Provider" placeholder="anthropic" maxLength={128} {...field('provider')} />
        <TextField label="Service tier" placeholder="batch" maxLength={32} {...field('service_tier')} />
        <SuggestedText
          label="Project"
          maxLength={256}
          suggestions={suggestionsOf('project_id')}
          {...field('project_id')}
        />
      </SimpleGrid>
      <Text size="xs" c="dimmed" mt={4}>
        A field that is left empty takes every call. * stands for any characters; the service tier “standard”
        means calls without one.
      </Text>
    </fieldset>
  );
}
