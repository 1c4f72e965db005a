import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFilters, useRange } from '../../data/use-range.ts';
import { useDraft } from '../../parts/form/act-form.tsx';
import { Load } from '../../parts/page/load.tsx';
import { ProblemNote } from '../../parts/page/problem-note.tsx';
import { exact, percent } from '../../parts/text/format.ts';
import { PageLink } from '../../parts/text/page-link.tsx';
import { useZone, When } from '../../parts/time/when.tsx';
import { type Giving, useGiving } from './parts/giving.ts';
import { Applying, Preview } from './parts/preview.tsx';
import { NEW_PRICE, PriceForm } from './parts/price-form.tsx';
import { UnpricedModels, unnamable } from './parts/unpriced.tsx';
import { REACH_DAYS, reachOf, type Unpriced, unpricedQuery } from './queries.ts';

/**
 * Gives models a price, and then the calls that are recorded already. Closing it takes back what was not agreed to, and waits
 * for the rules that are being made.
 */
export function PriceDialog({ onClose }: { onClose: () => void }) {
  const giving = useGiving();
  const { rules, preview, applying, takeBack, go } = giving;
  const form = useDraft(NEW_PRICE);
  const close = () => {
    if (go.isPending) return;
    if (applying !== null || rules.length === 0) onClose();
    else takeBack.mutate(undefined, { onSuccess: onClose });
  };
  return (
    <Modal opened onClose={close} title="Calls without a price" size="xl" closeOnClickOutside={false}>
      {applying !== null ? (
        <Applying id={applying} onDone={onClose} />
      ) : preview ? (
        <Preview of={preview} giving={giving} onDone={onClose} />
      ) : rules.length > 0 && go.error ? (
        <Unfinished giving={giving} onDone={onClose} />
      ) : (
        <Choosing form={form} giving={giving} onCancel={close} />
      )}
    </Modal>
  );
}

/** The models without a price in the range, as far as it can be corrected, and the prices to give them. */
function Choosing(props: { form: Form; giving: Giving; onCancel: () => void }) {
  const range = useRange();
  const zone = useZone();
  // That of the moment at which the dialog was opened: a midnight that passes moves nothing.
  const [reach] = useState(() => reachOf(range, zone, Date.now()));
  const unpriced = useQuery({ ...unpricedQuery(reach ?? range.query), enabled: reach !== null });
  if (reach === null)
    return (
      <Text>
        These days are more than {REACH_DAYS} days ago, so their calls keep the cost that they have. A price
        rule in{' '}
        <PageLink to="/settings" search={{ tab: 'prices' }}>
          Settings, Prices
        </PageLink>{' '}
        gives new calls a price.
      </Text>
    );
  return (
    <Load query={unpriced}>
      {(data) => <Choice {...props} unpriced={data} isCut={reach.from !== range.query.from} />}
    </Load>
  );
}

type Form = ReturnType<typeof useDraft<typeof NEW_PRICE>>;

function Choice({
  unpriced,
  isCut,
  form,
  giving,
  onCancel,
}: {
  unpriced: Unpriced;
  isCut: boolean;
  form: Form;
  giving: Giving;
  onCancel: () => void;
}) {
  const { models, from, to } = unpriced;
  const [first] = models.filter(({ model }) => unnamable(model) === null);
  const [picked, pick] = useState<readonly string[] | null>(null);
  const chosen = picked ?? (first ? [first.model] : []);
  if (models.length === 0) return <Text>Every call of this time has a price.</Text>;
  return (
    <Stack>
      <Share of={unpriced} isCut={isCut} />
      <UnpricedModels models={models} chosen={chosen} onChoose={pick} />
      <PriceForm
        models={models.filter(({ model }) => chosen.includes(model))}
        reached={{ from, to }}
        form={form}
        giving={giving}
        onCancel={onCancel}
      />
    </Stack>
  );
}

function Share({ of: { signals, unpriced, from }, isCut }: { of: Unpriced; isCut: boolean }) {
  const isFiltered = Object.keys(useFilters()).length > 0;
  return (
    <Text size="sm">
      {exact(unpriced)} of {exact(signals)} calls ({percent(unpriced / signals)}) have no price, so the true
      cost is higher.{' '}
      {isCut && (
        <>
          Prices reach back {REACH_DAYS} days, so this counts from <When at={from} /> on; older calls keep the
          cost that they have.{' '}
        </>
      )}
      {isFiltered &&
        'A price holds for the whole organization, so the filters of the page do not count here. '}
      <Anchor href="/guide/pricing#give-a-model-a-price" inherit>
        How prices work
      </Anchor>
    </Text>
  );
}

/** Not every rule, or no preview, could be made. */
function Unfinished({
  giving: { rules, go, again, takeBack, wanted },
  onDone,
}: {
  giving: Giving;
  onDone: () => void;
}) {
  const words =
    rules.length < wanted
      ? `${exact(rules.length)} of ${exact(wanted)} prices ${rules.length === 1 ? 'is set, and holds' : 'are set, and hold'} for new calls.`
      : `The ${wanted === 1 ? 'price is' : 'prices are'} set for new calls, but there is no preview for the recorded ones.`;
  return (
    <Stack>
      <Text>{words} No recorded call has changed.</Text>
      <ProblemNote error={takeBack.error ?? go.error} />
      <Group justify="space-between">
        <Button variant="default" loading={takeBack.isPending} onClick={() => takeBack.mutate(undefined)}>
          Take {rules.length === 1 ? 'it' : 'them'} back
        </Button>
        <Group>
          <Button variant="default" onClick={onDone}>
            Keep {rules.length === 1 ? 'it' : 'them'}
          </Button>
          <Button loading={go.isPending} onClick={again}>
            Try again
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}
