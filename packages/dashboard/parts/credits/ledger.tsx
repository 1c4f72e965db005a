import { SimpleGrid, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { BUCKETS, REASONS, type Reason } from '../../../../shared/core/credits/buckets.ts';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { devicesQuery } from '../../data/queries.ts';
import { useChoice } from '../../data/use-range.ts';
import { optionsOf, SearchSelect } from '../form/search-select.tsx';
import { PagedRows, usePages } from '../page/pager.tsx';
import type { Column } from '../page/rows.tsx';
import { Section } from '../page/section.tsx';
import { exact } from '../text/format.ts';
import { Name } from '../text/name.tsx';
import { When } from '../time/when.tsx';
import { BUCKET_NAMES, REASON_WORDS } from './words.ts';

type Transaction = AnswerOf<'/v1/ledger'>['transactions'][number];

const COLUMNS: readonly Column<Transaction>[] = [
  { label: 'When', isShort: true, narrow: 'first', render: ({ created_at }) => <When at={created_at} /> },
  {
    label: 'Change',
    isNumber: true,
    narrow: 'first',
    render: ({ delta }) => (delta > 0 ? `+${exact(delta)}` : exact(delta)),
  },
  { label: 'Why', isShort: true, render: ({ reason }) => REASON_WORDS[reason as Reason] ?? reason },
  { label: 'Bucket', isShort: true, narrow: 'hidden', render: ({ bucket }) => BUCKET_NAMES[bucket] },
  { label: 'Device', narrow: 'hidden', render: ({ device_id }) => device_id && <Device id={device_id} /> },
  {
    label: 'Left',
    isNumber: true,
    render: ({ balance_after }) => (balance_after == null ? '–' : exact(balance_after)),
  },
];

/** A device by its name; by its id where it has none. */
function Device({ id }: { id: string }) {
  const devices = useQuery(devicesQuery());
  const name = devices.data?.devices.find(({ device_id }) => device_id === id)?.name;
  return <Name of={name ?? id} />;
}

/** Every change of the person's credits, newest first. */
export function Ledger() {
  const bucket = useChoice('bucket', BUCKETS);
  const reason = useChoice('reason', REASONS);
  const asked = { ...(bucket ? { bucket } : {}), ...(reason ? { reason } : {}) };
  const pages = usePages(JSON.stringify(asked), (cursor) =>
    queryOptions({
      queryKey: ['ledger', asked, cursor],
      queryFn: async () => {
        const query = { ...asked, ...cursor, include: 'details' as const, limit: 50 };
        const { transactions, ...page } = await take(api.GET('/v1/ledger', { params: { query } }));
        return { ...page, data: transactions };
      },
      refetchInterval: 15_000,
    }),
  );
  return (
    <Section title="Ledger">
      <Text size="sm" c="dimmed">
        Every credit that came or went, with what was left in all buckets. The credits of a window or a month
        come with the first spend in it. The device that spent one holds its signed receipt; the ledger shows
        none.
      </Text>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <SearchSelect name="bucket" aria-label="Bucket" none="Any bucket" data={optionsOf(BUCKET_NAMES)} />
        <SearchSelect name="reason" aria-label="Why" none="Any reason" data={optionsOf(REASON_WORDS)} />
      </SimpleGrid>
      <PagedRows
        pages={pages}
        label="Ledger"
        columns={COLUMNS}
        keyOf={({ id }) => id ?? ''}
        empty={
          <Text c="dimmed">
            {bucket || reason
              ? 'Nothing with these filters.'
              : 'Nothing yet. The first credit that a device of yours spends appears here.'}
          </Text>
        }
      />
    </Section>
  );
}
