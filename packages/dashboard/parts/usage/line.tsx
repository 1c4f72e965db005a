import { Group, Skeleton, Text } from '@mantine/core';
import { useUsage } from '../../data/usage.tsx';
import { useRange } from '../../data/use-range.ts';
import { money } from '../text/format.ts';
import { Change, ComparedWith, Count } from '../text/values.tsx';

/** The sums of the range with its filters, each with its change from the period before; those of another range faded. */
export function UsageLine() {
  const range = useRange();
  const { now, before } = useUsage();
  if (now.isPending) return <Skeleton height={22} />;
  if (!now.data || now.data.totals.signals === 0) return null;
  const { totals } = now.data;
  // Where all of it is new, saying so of each figure says nothing.
  const then = before.data?.totals.signals === 0 ? undefined : before.data?.totals;
  const figures = {
    Cost: [money(totals.cost_usd), totals.cost_usd, then?.cost_usd],
    'Tokens in': [<Count key="in" of={totals.tokens_in} />, totals.tokens_in, then?.tokens_in],
    'Tokens out': [<Count key="out" of={totals.tokens_out} />, totals.tokens_out, then?.tokens_out],
    Calls: [<Count key="signals" of={totals.signals} />, totals.signals, then?.signals],
    Errors: [<Count key="errors" of={totals.errors} />, totals.errors, then?.errors],
  } as const;
  return (
    <Group
      gap="md"
      component="section"
      aria-label="The range in all"
      aria-busy={now.isPlaceholderData}
      className={now.isPlaceholderData ? 'outdated' : undefined}
    >
      {Object.entries(figures).map(([label, [shown, of, was]]) => (
        <Text key={label} size="sm" component="div">
          <Text span inherit c="dimmed">
            {label}
          </Text>{' '}
          {shown} <Change now={of} before={was} than={range.beforeLabel} />
        </Text>
      ))}
      {then && <ComparedWith than={range.beforeLabel} />}
    </Group>
  );
}
