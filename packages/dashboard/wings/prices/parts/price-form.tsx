import { Alert, Group, Text } from '@mantine/core';
import { ActForm, type useDraft } from '../../../parts/form/act-form.tsx';
import { TextField } from '../../../parts/form/fields.tsx';
import { money } from '../../../parts/text/format.ts';
import { Name } from '../../../parts/text/name.tsx';
import type { NewRule, UnpricedModel } from '../queries.ts';
import type { Giving, Reached } from './giving.ts';
import { NO_PRICES, PriceFields, pricesOf } from './price-fields.tsx';
import { ruleName } from './words.ts';

/** The prices of a model as the form begins, and the calls of it that have them: empty means all. */
export const NEW_PRICE = { ...NO_PRICES, provider: '', service_tier: '' };

/** The prices of the chosen models: each gets a rule of its own. */
export function PriceForm({
  models,
  reached,
  form: { draft, field },
  giving: { go, begin },
  onCancel,
}: {
  models: readonly UnpricedModel[];
  reached: Reached;
  form: ReturnType<typeof useDraft<typeof NEW_PRICE>>;
  giving: Giving;
  onCancel: () => void;
}) {
  const usd_per_million = pricesOf(draft);
  const own = { ...named('provider', draft.provider), ...named('service_tier', draft.service_tier) };
  const rules = models.flatMap(({ model }): NewRule[] =>
    usd_per_million
      ? [
          {
            name: ruleName(model),
            from: reached.from,
            match: { model, ...own },
            usd_per_million,
            replaces_reported: false,
          },
        ]
      : [],
  );
  const priced = models.filter(({ costUsd }) => costUsd > 0);
  return (
    <ActForm
      act={{ ...go, mutate: () => begin(reached, rules) }}
      submit="Set the price and preview"
      onCancel={onCancel}
      isReady={rules.length > 0}
    >
      <PriceFields field={field} />
      {priced.map(({ model, costUsd }) => (
        <Alert key={model} color="orange" variant="outline">
          Other calls of <Name of={model} /> have a cost already, {money(costUsd)} here. The price also takes
          the place of the list price of new ones. Narrow it below where they differ.
        </Alert>
      ))}
      <details open={priced.length > 0}>
        <summary>Only a provider or a service tier</summary>
        <Group grow align="flex-start" mt="xs">
          <TextField label="Provider" maxLength={128} placeholder="every one" {...field('provider')} />
          <TextField
            label="Service tier"
            maxLength={32}
            placeholder="every one"
            description="standard: calls without one"
            inputWrapperOrder={['label', 'input', 'description']}
            {...field('service_tier')}
          />
        </Group>
      </details>
      <Text size="sm" c="dimmed">
        {models.length > 1 ? 'Each of these models gets a price rule' : 'This makes a price rule'}, which
        holds for new calls at once. Calls that are recorded already change only when you agree to the
        preview.
      </Text>
    </ActForm>
  );
}

function named<Field extends string>(field: Field, typed: string): Partial<Record<Field, string>> {
  return typed.trim() === '' ? {} : ({ [field]: typed.trim() } as Record<Field, string>);
}
