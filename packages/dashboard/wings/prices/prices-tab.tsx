import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useChangeSearch, useRange } from '../../data/use-range.ts';
import { Load } from '../../parts/page/load.tsx';
import { RangeBar } from '../../parts/page/range-bar.tsx';
import { Section } from '../../parts/page/section.tsx';
import { Quote } from './parts/quote.tsx';
import { readQuoted } from './parts/quoted-call.ts';
import { Rules } from './parts/rules.tsx';
import { UnpricedModels } from './parts/unpriced.tsx';
import { unpricedQuery } from './queries.ts';
import { prices } from './remedy.ts';

/**
 * The organization's prices: its rules, what has no price, and why a call costs what it costs, which comes first when the
 * address names a call.
 */
export function PricesTab() {
  const { quote } = useSearch({ strict: false }) as { quote?: string };
  const given = quote === undefined ? null : readQuoted(quote);
  return (
    <Stack>
      {given && <Quote key={quote} given={given} />}
      <Rules />
      <WithoutPrice />
      {!given && <Quote given={null} />}
    </Stack>
  );
}

function WithoutPrice() {
  const unpriced = useQuery(unpricedQuery(useRange().query));
  const change = useChangeSearch();
  const hasSome = unpriced.data !== undefined && unpriced.data.models.length > 0;
  return (
    <Section
      title="Calls without a price"
      aside={hasSome && <Button onClick={() => change({ remedy: prices.of })}>Give them a price</Button>}
    >
      <RangeBar by={[]} />
      <Load query={unpriced} height={80}>
        {({ models }) =>
          models.length === 0 ? (
            <Text>Every call of this time has a price.</Text>
          ) : (
            <UnpricedModels models={models} />
          )
        }
      </Load>
    </Section>
  );
}
