import { NumberInput, SimpleGrid } from '@mantine/core';
import type { Field, Own } from '../../../parts/form/fields.tsx';
import type { NewRule } from '../queries.ts';

/** A price that may be left out. */
export type Price = number | '';

/** The four usual prices, in US dollars per million tokens. */
export interface Prices {
  input: Price;
  output: Price;
  cache_read: Price;
  cache_write: Price;
}

export const NO_PRICES: Prices = { input: '', output: '', cache_read: '', cache_write: '' };

const LABELS: Record<keyof Prices, { label: string; description: string }> = {
  input: { label: 'Input', description: 'Tokens that came from no cache' },
  output: { label: 'Output', description: 'Tokens of the answer' },
  cache_read: { label: 'Read from cache', description: 'Left empty: as input' },
  cache_write: { label: 'Written to cache', description: 'Left empty: as input' },
};

/** The inputs for the four usual prices. */
export function PriceFields({ field }: { field: (name: keyof Prices) => Field<Price> }) {
  return (
    <fieldset className="prices">
      <legend>US dollars per million tokens</legend>
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        {(Object.keys(LABELS) as (keyof Prices)[]).map((name) => (
          <UsdField
            key={name}
            required={name === 'input' || name === 'output'}
            {...LABELS[name]}
            {...field(name)}
          />
        ))}
      </SimpleGrid>
    </fieldset>
  );
}

type UsdProps = Own<React.ComponentProps<typeof NumberInput>> & Field<Price>;

/** US dollars to type, with the decimals that a price may have; empty is no price. */
export function UsdField({ onChange, ...input }: UsdProps) {
  return (
    <NumberInput
      prefix="$"
      min={0}
      max={1_000_000}
      decimalScale={6}
      allowNegative={false}
      thousandSeparator=","
      hideControls
      inputWrapperOrder={['label', 'input', 'description']}
      {...input}
      onChange={(typed) => onChange(typed === '' ? '' : Number(typed))}
    />
  );
}

/** The prices as a rule takes them; null while one that is needed is missing. */
export function pricesOf({
  input,
  output,
  ...cached
}: Prices): NonNullable<NewRule['usd_per_million']> | null {
  if (input === '' || output === '') return null;
  const known = Object.entries(cached).filter(([, usd]) => usd !== '');
  return { input, output, ...Object.fromEntries(known) };
}
