import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Problem } from '../../../data/client.ts';
import { Load } from '../../../parts/page/load.tsx';
import { ProblemNote } from '../../../parts/page/problem-note.tsx';
import { type Column, Rows } from '../../../parts/page/rows.tsx';
import { exact, money } from '../../../parts/text/format.ts';
import { Name } from '../../../parts/text/name.tsx';
import { Outcome } from '../../../parts/text/outcome.tsx';
import { When } from '../../../parts/time/when.tsx';
import { FIGURES, type Repricing, repricingQuery } from '../queries.ts';
import type { Giving } from './giving.ts';
import { callWords } from './words.ts';

/** A preview, and what may be done with it: apply it, keep the price for new calls alone, or take the price back. */
export function Preview({
  of: preview,
  giving: { rules, apply, takeBack, go, again },
  onDone,
}: {
  of: Repricing;
  giving: Giving;
  onDone: () => void;
}) {
  const isStale = apply.error instanceof Problem && apply.error.code === 'preview_stale';
  const isOne = rules.length === 1;
  return (
    <Stack>
      <div role="status">
        <Text>
          <Sentence of={preview} />
        </Text>
      </div>
      <Rows
        label="What repricing does"
        rows={preview.models}
        columns={COLUMNS}
        keyOf={({ model }) => model}
      />
      <Text size="sm" c="dimmed">
        {isOne ? 'The price holds' : 'The prices hold'} for new calls already. “Back” and closing this take{' '}
        {isOne ? 'it' : 'them'} back. Should you lose this page, the price{' '}
        {isOne ? 'rule stays' : 'rules stay'} in Settings, Prices, where you can end or delete{' '}
        {isOne ? 'it' : 'them'}.
      </Text>
      <ProblemNote error={apply.error ?? takeBack.error ?? go.error} />
      <Group justify="space-between">
        <Button variant="default" loading={takeBack.isPending} onClick={() => takeBack.mutate(undefined)}>
          Back
        </Button>
        <Group>
          <Button variant="default" onClick={onDone}>
            Keep {isOne ? 'it' : 'them'} for new calls only
          </Button>
          {isStale ? (
            <Button loading={go.isPending} onClick={again}>
              Preview again
            </Button>
          ) : (
            preview.changed > 0 && (
              <Button loading={apply.isPending} onClick={() => apply.mutate(undefined)} data-autofocus>
                Reprice {callWords(preview.changed)}
              </Button>
            )
          )}
        </Group>
      </Group>
    </Stack>
  );
}

function Sentence({ of: { from, to, signals, changed, ...preview } }: { of: Repricing }) {
  const { cost_before, cost_after, unpriced_after } = preview;
  const between = (
    <>
      Between <When at={from} /> and <When at={to} />
    </>
  );
  if (signals === 0) return <>{between} there is no call without a price.</>;
  if (changed === 0)
    return (
      <>
        {between} no call gets a price by it. {callWords(signals)} without one{' '}
        {signals === 1 ? 'has' : 'have'} no token counts, or counts that contradict each other, or another
        provider or tier.
      </>
    );
  return (
    <>
      {between}, {callWords(changed)} without a price {changed === 1 ? 'gets' : 'get'} one.{' '}
      {changed === 1 ? 'Its' : 'Their'} cost becomes {usd(cost_after)}
      {Number(cost_before) > 0 && `, from ${usd(cost_before)}`}.{' '}
      {unpriced_after === 0
        ? 'None is left without a price.'
        : `${callWords(unpriced_after)} ${unpriced_after === 1 ? 'is' : 'are'} left without one.`}
    </>
  );
}

type ModelRow = Repricing['models'][number];

const COLUMNS: readonly Column<ModelRow>[] = [
  { label: 'Model', isHeading: true, narrow: 'first', render: ({ model }) => <Name of={model} /> },
  { label: 'Calls', isNumber: true, narrow: 'hidden', render: ({ signals }) => exact(signals) },
  {
    label: 'Cost',
    isNumber: true,
    narrow: 'first',
    render: ({ cost_before, cost_after }) => `${usd(cost_before)} → ${usd(cost_after)}`,
  },
  {
    label: 'Without a price',
    isNumber: true,
    render: ({ unpriced_before, unpriced_after }) => `${exact(unpriced_before)} → ${exact(unpriced_after)}`,
  },
];

function usd(cost: string): string {
  return money(Number(cost));
}

/** A repricing that has begun, until its last call has the new price. */
export function Applying({ id, onDone }: { id: string; onDone: () => void }) {
  const repricing = useQuery(repricingQuery(id));
  const client = useQueryClient();
  const isApplied = repricing.data?.state === 'applied';
  useEffect(() => {
    if (isApplied) for (const key of FIGURES) void client.invalidateQueries({ queryKey: [key] });
  }, [client, isApplied]);
  return (
    <Stack>
      <div role="status">
        <Load query={repricing} height={60}>
          {(data) => <Progressed of={data} />}
        </Load>
      </div>
      <Group justify="flex-end">
        <Button variant={isApplied ? 'filled' : 'default'} onClick={onDone}>
          {isApplied ? 'Done' : 'Close'}
        </Button>
      </Group>
    </Stack>
  );
}

function Progressed({
  of: { state, applied, skipped, changed, cost_after, unpriced_after },
}: {
  of: Repricing;
}) {
  if (state !== 'applied')
    return (
      <Stack gap="xs">
        <Text>
          Repricing: {exact(applied + skipped)} of {callWords(changed)}. It goes on when you close this.
        </Text>
        <progress value={applied + skipped} max={Math.max(changed, 1)} aria-label="Repricing" />
      </Stack>
    );
  return (
    <Stack gap="xs">
      <Outcome isGood>
        {callWords(applied)} {applied === 1 ? 'has' : 'have'} a price now
        {skipped === 0 && `: ${usd(cost_after)} in all`}.
      </Outcome>
      {skipped > 0 && <Text>{callWords(skipped)} were voided meanwhile, so they stay out.</Text>}
      {unpriced_after > 0 && (
        <Text>
          {callWords(unpriced_after)} still {unpriced_after === 1 ? 'has' : 'have'} no price.
        </Text>
      )}
    </Stack>
  );
}
