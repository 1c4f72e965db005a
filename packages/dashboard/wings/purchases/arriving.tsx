import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api, take } from '../../data/client.ts';
import { useChangeSearch } from '../../data/use-range.ts';
import { exact } from '../../parts/text/format.ts';

/** The usual time of a payment; a bank transfer takes days. */
const USUAL_MS = 60_000;

/** Waits until the ledger has the purchase of a person who comes back from Stripe, and says so. Else shows nothing. */
export function Arriving() {
  const { bought, checkout } = useSearch({ strict: false }) as { bought?: string; checkout?: string };
  const credits = Number(bought);
  return credits > 0 && checkout ? <Purchase credits={credits} checkout={checkout} /> : null;
}

function Purchase({ credits, checkout }: { credits: number; checkout: string }) {
  const client = useQueryClient();
  const change = useChangeSearch();
  const [cameMs] = useState(Date.now);
  const purchase = useQuery({
    queryKey: ['checkout', checkout],
    queryFn: () => take(api.GET('/v1/credits/checkout/{id}', { params: { path: { id: checkout } } })),
    refetchInterval: ({ state }) => (state.data?.arrived ? false : 2_000),
  });
  const isThere = purchase.data?.arrived === true;
  useEffect(() => {
    if (!isThere) return;
    for (const queryKey of [['balance'], ['ledger'], ['balances']])
      void client.invalidateQueries({ queryKey });
  }, [isThere, client]);
  const isSlow = purchase.dataUpdatedAt - cameMs > USUAL_MS;
  return (
    <Alert color={isThere ? 'green' : 'blue'} variant="outline" role="status" title="Thank you">
      <Group gap="sm" justify="space-between">
        {isThere ? (
          <Text>{exact(credits)} credits have arrived.</Text>
        ) : (
          <Group gap="sm">
            <Loader size="sm" aria-hidden />
            <Text>
              {exact(credits)} credits arrive as soon as Stripe confirms the payment.{' '}
              {isSlow
                ? 'Some ways of paying take days. You need not wait here.'
                : 'This page shows it by itself.'}
            </Text>
          </Group>
        )}
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => change({ bought: undefined, checkout: undefined })}
        >
          Close
        </Button>
      </Group>
    </Alert>
  );
}
