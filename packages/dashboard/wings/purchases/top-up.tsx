import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../../data/client.ts';
import { NumberField } from '../../parts/form/number-field.tsx';
import { ProblemNote } from '../../parts/page/problem-note.tsx';
import { Section } from '../../parts/page/section.tsx';
import { exact, money } from '../../parts/text/format.ts';

const USUAL_CREDITS = 500;

/** The form that buys credits; nothing where they are not sold. */
export function TopUp() {
  const price = useQuery({
    queryKey: ['credits', 'price'],
    queryFn: () => take(api.GET('/v1/credits/price')),
    staleTime: 60_000,
  });
  const { credit_price_usd = null, least = null, most = null } = price.data ?? {};
  if (credit_price_usd === null || least === null || most === null) return null;
  return (
    <Section title="Buy credits">
      <Order priceUsd={credit_price_usd} least={least} most={most} />
    </Section>
  );
}

function Order({ priceUsd, least, most }: { priceUsd: number; least: number; most: number }) {
  const [credits, setCredits] = useState(Math.min(Math.max(USUAL_CREDITS, least), most));
  const isPossible = Number.isInteger(credits) && credits >= least && credits <= most;
  const buy = useMutation({
    mutationFn: () => take(api.POST('/v1/credits/checkout', { body: { credits } })),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        buy.mutate();
      }}
    >
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <NumberField
            label="How many"
            w={160}
            allowDecimal={false}
            step={100}
            error={!isPossible}
            value={credits}
            onChange={setCredits}
          />
          <Button type="submit" disabled={!isPossible} loading={buy.isPending || buy.isSuccess}>
            {isPossible ? `Buy for ${money(usdOf(credits, priceUsd))}` : 'Buy'}
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          {isPossible
            ? `${unitPrice(priceUsd)} per credit. You pay at Stripe and come back here; what you buy does not expire.`
            : `From ${exact(least)} to ${exact(most)} credits at once.`}
        </Text>
        <ProblemNote error={buy.error} />
        {buy.isSuccess && <Alert variant="outline">On the way to Stripe …</Alert>}
      </Stack>
    </form>
  );
}

/** To the cent, as the order is charged. */
function usdOf(credits: number, priceUsd: number): number {
  const nusd = BigInt(credits) * BigInt(Math.round(priceUsd * 1e9));
  return Number((nusd + 5_000_000n) / 10_000_000n) / 100;
}

/** With all its decimals: $0.0125. */
function unitPrice(usd: number): string {
  return usd.toLocaleString('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 9 });
}
