import { Stack, Text } from '@mantine/core';
import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { PagedRows, usePages } from '../../parts/page/pager.tsx';
import type { Column } from '../../parts/page/rows.tsx';
import { UserName } from '../../parts/text/user-name.tsx';
import { When } from '../../parts/time/when.tsx';

type Entry = AnswerOf<'/v1/audit'>['data'][number];

const COLUMNS: readonly Column<Entry>[] = [
  { label: 'When', isShort: true, narrow: 'first', render: ({ at }) => <When at={at} precision="second" /> },
  { label: 'What', isShort: true, narrow: 'first', render: ({ action }) => action },
  { label: 'Who', render: ({ actor }) => <UserName id={actor} /> },
  {
    label: 'Details',
    render: ({ details }) => (
      <Text span size="xs" className="wrap">
        {Object.entries(details)
          .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
          .join(', ')}
      </Text>
    ),
  },
];

export function AuditTab() {
  const pages = usePages('audit', (cursor) =>
    queryOptions({
      queryKey: ['audit', cursor],
      queryFn: () => take(api.GET('/v1/audit', { params: { query: { ...cursor, limit: 50 } } })),
    }),
  );
  return (
    <Stack>
      <Text c="dimmed">Every change by a person, a key or an operator. Removed people appear by id.</Text>
      <PagedRows pages={pages} height={240} label="Audit" columns={COLUMNS} keyOf={({ id }) => id} />
    </Stack>
  );
}
