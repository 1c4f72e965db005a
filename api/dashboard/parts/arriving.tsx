import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { api, take } from '../data/client.ts';
import { useChangeSearch } from '../data/range.ts';
import { exact } from './format.ts';

/** What is usual; a bank transfer takes days. */
const USUAL_S = 300;

/** For who comes back from Stripe: waits until the ledger has the purchase, and says so. Else nothing. */
export function Arriving() {
  const { bought, since } = useSearch({ strict: false }) as { bought?: string; since?: string };
  const [credits, fromS] = [Number(bought), Number(since)];
  return credits > 0 && fromS > 0 ? <Purchase credits={credits} fromS={fromS} /> : null;
}

function Purchase({ credits, fromS }: { credits: number; fromS: number }) {
  const client = useQueryClient();
  const change = useChangeSearch();
  const purchases = useQuery({
    queryKey: ['purchases', fromS],
    queryFn: () =>
      take(
        api.GET('/v1/ledger', {
          params: { query: { reason: 'credit.purchase', from: fromS, limit: 100 } },
        }),
      ),
    refetchInterval: ({ state }) => (hasArrived(state.data, credits) ? false : 2_000),
  });
  const isThere = hasArrived(purchases.data, credits);
  useEffect(() => {
    if (!isThere) return;
    for (const queryKey of [['balance'], ['ledger'], ['balances']])
      void client.invalidateQueries({ queryKey });
  }, [isThere, client]);
  const isSlow = Date.now() / 1_000 > fromS + USUAL_S;
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
          onClick={() => change({ bought: undefined, since: undefined })}
        >
          Close
        </Button>
      </Group>
    </Alert>
  );
}

function hasArrived(
  ledger: { transactions: readonly { delta: number }[] } | undefined,
  credits: number,
): boolean {
  return ledger?.transactions.some(({ delta }) => delta === credits) === true;
}
