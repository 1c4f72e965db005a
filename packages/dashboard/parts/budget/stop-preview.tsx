import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { api, take } from '../../data/client.ts';
import type { BodyOf, Budget } from '../../data/queries.ts';
import { amount, exact } from '../text/format.ts';
import { When } from '../time/when.tsx';

type Preview = Awaited<ReturnType<typeof askPreview>>;

const askPreview = (body: BodyOf<'/api/v1/budgets/preview'>, budget_id: string | undefined) =>
  take(api.POST('/api/v1/budgets/preview', { params: { query: budget_id ? { budget_id } : {} }, body }));

const TYPING_MS = 250;

/**
 * Asks what a budget would refuse from now on, once nobody types any more: a new one, or `budgetId` after its change. `isSettled`:
 * the answer is that of this body, or the service has none.
 */
export function usePreview(
  body: BodyOf<'/api/v1/budgets/preview'>,
  budgetId: string | undefined,
  isAsked: boolean,
): { preview: Preview | null; isSettled: boolean } {
  const text = JSON.stringify(body);
  const [typed] = useDebouncedValue(text, TYPING_MS);
  const { data, isPending, isPlaceholderData } = useQuery({
    queryKey: ['budget-preview', budgetId, typed],
    queryFn: () => askPreview(JSON.parse(typed), budgetId),
    enabled: isAsked,
    staleTime: 0,
    retry: false,
  });
  if (!isAsked) return { preview: null, isSettled: true };
  return { preview: data ?? null, isSettled: typed === text && !isPending && !isPlaceholderData };
}

const SPANS: Record<Budget['window'], string> = {
  hourly: 'this hour',
  daily: 'today',
  weekly: 'this week',
  monthly: 'this month',
  quarterly: 'this quarter',
  rolling: 'in these days',
  total: 'in all',
};

/** The effect of a hard budget from now on, in words, and who asks it before a call. */
export function StopPreview({
  draft: { metric, window },
  preview: { current, threshold, refuses_now, people, asked },
}: {
  draft: Pick<Budget, 'metric' | 'window'>;
  preview: Preview;
}) {
  const used = `${amount(metric, current)} of ${amount(metric, threshold)}`;
  const words =
    people === null
      ? `${refuses_now ? 'This stops work now' : 'This stops nothing now'}: ${used} are used ${SPANS[window]}.`
      : `${refuses_now ? `This stops ${peopleWords(people)} now` : 'This stops nobody now'}: the furthest has used ${used} ${SPANS[window]}.`;
  return (
    <Alert variant="light" color={refuses_now ? 'orange' : 'gray'} role="status">
      <Stack gap={4}>
        <Text size="sm" fw={600}>
          {words}
        </Text>
        <Text size="sm" component="div">
          Agents stop only where they ask: by hooks on each machine, or at a gateway. <Asked asked={asked} />{' '}
          <Anchor href="/guide/budgets#what-stops-agents" target="_blank" inherit>
            How to make them ask
          </Anchor>
        </Text>
      </Stack>
    </Alert>
  );
}

function peopleWords(people: number): string {
  return people === 1 ? 'the work of one person' : `the work of ${exact(people)} people`;
}

const WAYS: Record<keyof Preview['asked'], string> = {
  hook: 'by a hook of Claude Code',
  check: 'by a check',
  reserve: 'by a reservation',
  gate: 'at a gateway',
};

/** The ways in which somebody asked lately. */
function Asked({ asked }: Pick<Preview, 'asked'>) {
  const ways = (Object.keys(WAYS) as (keyof typeof WAYS)[]).filter((way) => asked[way] !== null);
  if (ways.length === 0) return <>Nobody asked in the last 7 days.</>;
  return (
    <>
      Last asked{' '}
      {ways.map((way, at) => (
        <span key={way}>
          {at > 0 && ', '}
          {WAYS[way]} <When at={asked[way]} relative />
        </span>
      ))}
      .
    </>
  );
}
