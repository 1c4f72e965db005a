import { Anchor, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useDialog } from '../../../data/use-dialog.ts';
import { type Column, QueryRows } from '../../../parts/page/rows.tsx';
import { Section } from '../../../parts/page/section.tsx';
import { Name } from '../../../parts/text/name.tsx';
import { PageLink } from '../../../parts/text/page-link.tsx';
import { When } from '../../../parts/time/when.tsx';
import { dateWords } from '../../../words/time.ts';
import { type Destination, destinationsQuery } from './queries.ts';
import { DestinationState } from './state.tsx';
import { daysText, placeText, throughOf } from './words.ts';

/** Loaded with the first form. */
const Creation = lazy(async () => ({ default: (await import('./creation.tsx')).Creation }));

const COLUMNS: readonly Column<Destination>[] = [
  {
    label: 'Destination',
    narrow: 'first',
    share: 22,
    render: ({ id, name }) => (
      <PageLink to={`/export/${id}`}>
        <Name of={name} />
      </PageLink>
    ),
  },
  { label: 'State', isShort: true, narrow: 'first', render: (row) => <DestinationState of={row} /> },
  {
    label: 'Place',
    share: 30,
    narrow: 'hidden',
    render: (row) => <span title={placeText(row)}>{placeText(row)}</span>,
  },
  {
    label: 'Files up to',
    isShort: true,
    render: (row) => {
      const through = throughOf(row);
      return through === null ? 'none yet' : dateWords(through);
    },
  },
  {
    label: 'Behind',
    isShort: true,
    render: ({ behind_days }) => (behind_days === 0 ? 'no' : daysText(behind_days)),
  },
  {
    label: 'Last run',
    isShort: true,
    narrow: 'hidden',
    render: ({ last_run }) => (last_run === null ? 'none yet' : <When at={last_run.finished_at} />),
  },
  {
    label: 'Next run',
    isShort: true,
    narrow: 'third',
    render: ({ next_run_at }) => (next_run_at === null ? '–' : <When at={next_run_at} />),
  },
];

/** The buckets and folders that get the files of each finished day. */
export function Destinations() {
  const destinations = useQuery(destinationsQuery());
  const [isOpen, { open, close }] = useDialog('destination');
  const hasSome = destinations.data !== undefined && destinations.data.data.length > 0;
  const add = (
    <Button variant={hasSome ? 'default' : 'filled'} onClick={open}>
      Add a destination
    </Button>
  );
  return (
    <Section title={<span id="destinations">Destinations</span>} aside={hasSome && add}>
      <Text size="sm" c="dimmed">
        A bucket or a folder gets the files of each finished day by itself, so that your FinOps tool or data
        warehouse reads them there.{' '}
        <Anchor href="/guide/push" inherit>
          How it works
        </Anchor>
      </Text>
      <QueryRows
        query={destinations}
        height={80}
        label="Destinations"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <div>
            <Text mb="sm">
              None yet. Have the name of a bucket and an access key that may write to it at hand.
            </Text>
            {add}
          </div>
        }
      />
      {isOpen && (
        <Suspense>
          <Creation onClose={close} />
        </Suspense>
      )}
    </Section>
  );
}
