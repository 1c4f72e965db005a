import { Stack, Text } from '@mantine/core';
import { type AnswerOf, api, take } from '../../data/client.ts';
import { Load } from '../../parts/page/load.tsx';
import { Pager, usePages } from '../../parts/page/pager.tsx';
import { type Column, Rows } from '../../parts/page/rows.tsx';
import { UserName } from '../../parts/text/user-name.tsx';
import { When } from '../../parts/text/when.tsx';

type Entry = AnswerOf<'/v1/audit'>['data'][number];

const COLUMNS: readonly Column<Entry>[] = [
  { label: 'When', isShort: true, narrow: 'first', render: ({ at }) => <When at={at} /> },
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
  const pages = usePages<Entry>(
    'audit',
    (cursor) =>
      ({
        queryKey: ['audit', cursor],
        queryFn: () => take(api.GET('/v1/audit', { params: { query: { ...cursor, limit: 50 } } })),
      }) as never,
  );
  return (
    <Stack>
      <Text c="dimmed">
        Every change by a person, a key or an operator. Who has no name here stands by an id.
      </Text>
      <Load query={pages.query} height={240}>
        {({ data }) => <Rows label="Audit" rows={data} columns={COLUMNS} keyOf={({ id }) => id} />}
      </Load>
      <Pager pages={pages as never} />
    </Stack>
  );
}
