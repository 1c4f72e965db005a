import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { useDraft } from '../../../parts/form/act-form.tsx';
import { TextField } from '../../../parts/form/fields.tsx';
import { Load } from '../../../parts/page/load.tsx';
import { Rows } from '../../../parts/page/rows.tsx';
import { Section } from '../../../parts/page/section.tsx';
import { Name } from '../../../parts/text/name.tsx';
import { type askQuote, type QuotedCall, quoteQuery } from '../queries.ts';
import { bodyOf, type Draft, NO_CALL } from './quoted-call.ts';

/** "Why does this call cost that?": the price of a call, which may be given, and where it comes from. */
export function Quote({ given }: { given: Draft | null }) {
  const { draft, field } = useDraft(given ?? NO_CALL);
  const [asked, ask] = useState(given && bodyOf(given));
  return (
    <Section title="Why does this call cost that?">
      <Text size="sm" c="dimmed">
        The price of a call as if it were recorded now. A recorded call keeps its cost until it is repriced.
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          ask(bodyOf(draft));
        }}
      >
        <Stack gap="sm">
          <CallFields field={field} />
          <Group justify="flex-end">
            <Button type="submit">Ask</Button>
          </Group>
        </Stack>
      </form>
      {asked && <Answer of={asked} />}
    </Section>
  );
}

type FieldOf = ReturnType<typeof useDraft<Draft>>['field'];

const COUNT = { inputMode: 'numeric', pattern: '\\d{1,10}', title: 'A whole number' } as const;

function CallFields({ field }: { field: FieldOf }) {
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <TextField label="Model" maxLength={256} {...field('model')} />
        <TextField label="Provider" maxLength={128} {...field('provider')} />
        <TextField label="Tokens in" placeholder="not counted" {...COUNT} {...field('tokens_in')} />
        <TextField label="Tokens out" placeholder="not counted" {...COUNT} {...field('tokens_out')} />
      </SimpleGrid>
      <details>
        <summary>Cache, tier and the rest</summary>
        <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm" mt="xs">
          <TextField label="Read from cache" {...COUNT} {...field('cache_read_tokens')} />
          <TextField label="Written to cache" {...COUNT} {...field('cache_write_tokens')} />
          <TextField label="Of these for an hour" {...COUNT} {...field('cache_write_1h_tokens')} />
          <TextField label="Service tier" maxLength={32} {...field('service_tier')} />
          <TextField label="Images out" {...COUNT} {...field('output_image_tokens')} />
          <TextField label="Sound out" {...COUNT} {...field('output_audio_tokens')} />
          <TextField label="Region" maxLength={32} {...field('region')} />
          <TextField label="Project" maxLength={256} {...field('project_id')} />
          <TextField
            label="Uses of tools"
            placeholder="web_search 5"
            title="Tools that the vendor ran, each with how often: web_search 5, file_search 2"
            pattern="\s*([A-Za-z][\w\-]* +\d+\s*(,\s*|$))*"
            {...field('tool_uses')}
          />
          <TextField
            label="Reported cost"
            inputMode="decimal"
            pattern="\d+(\.\d+)?"
            title="US dollars, as the tool reports them"
            {...field('cost_usd')}
          />
          <TextField label="Time" placeholder="now" title="Such as 2026-11-01T09:30:00Z" {...field('ts')} />
        </SimpleGrid>
      </details>
    </>
  );
}

type QuoteAnswer = Awaited<ReturnType<typeof askQuote>>;

const PARTS = {
  input: 'Input',
  cache_read: 'Read from cache',
  cache_write: 'Written to cache',
  output: 'Output',
  request: 'Fees per call and per use',
  unsplit: 'Not split into parts',
} as const;

function Answer({ of: call }: { of: QuotedCall }) {
  const quote = useQuery(quoteQuery(call));
  return (
    <div role="status" aria-label="The price of the call">
      <Load query={quote} height={80}>
        {(answer) => (
          <Stack gap="sm">
            <Text>
              <Origin of={answer} />
            </Text>
            {answer.parts && <Parts of={answer.parts} />}
          </Stack>
        )}
      </Load>
    </div>
  );
}

function Origin({ of: { cost, cost_source, rule } }: { of: QuoteAnswer }) {
  if (cost === null)
    return rule ? (
      <>
        No price is known: the price rule <Name of={rule.name} /> has none for these counts or tools.
      </>
    ) : (
      <>
        No price is known: neither a price rule nor the price list has one for this model, its tier, its
        region, its tools and these counts. A price rule can give it one.
      </>
    );
  return (
    <>
      It costs <b>{dollars(cost)}</b>,{' '}
      {rule ? (
        <>
          by the price rule <Name of={rule.name} />.
        </>
      ) : (
        SOURCES[cost_source]
      )}
    </>
  );
}

const SOURCES: Record<QuoteAnswer['cost_source'], string> = {
  reported: 'as the tool reports. No price rule replaces it.',
  computed: 'by the price list. No price rule matches it.',
  rule: 'by a price rule.',
  unknown: 'and nothing says why.',
};

function Parts({ of: parts }: { of: NonNullable<QuoteAnswer['parts']> }) {
  const rows = (Object.keys(PARTS) as (keyof typeof PARTS)[])
    .map((part) => ({ part, usd: parts[part] }))
    .filter(({ usd }) => Number(usd) > 0);
  if (rows.length === 0) return null;
  return (
    <Rows
      label="Parts of the price"
      rows={rows}
      keyOf={({ part }) => part}
      columns={[
        { label: 'Part', isHeading: true, narrow: 'first', render: ({ part }) => PARTS[part] },
        { label: 'Cost', isNumber: true, narrow: 'first', render: ({ usd }) => dollars(usd) },
      ]}
    />
  );
}

/** All nine decimals that are not zero: one call is mostly a fraction of a cent. */
function dollars(cost: string): string {
  return Number(cost).toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: 9,
  });
}
