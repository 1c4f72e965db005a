import { Anchor, Group, Stack, Text } from '@mantine/core';
import { queryOptions } from '@tanstack/react-query';
import { api, take } from '../../data/client.ts';
import { AuditEntries } from '../../parts/audit/entries.tsx';
import { AuditFilters, useAuditFilter } from '../../parts/audit/filters.tsx';
import { Load } from '../../parts/page/load.tsx';
import { Pager, usePages } from '../../parts/page/pager.tsx';

/** The audit log as sentences, by who, about what and when. */
export function AuditTab() {
  const filter = useAuditFilter();
  const pages = usePages(JSON.stringify(filter), (cursor) =>
    queryOptions({
      queryKey: ['audit', filter, cursor],
      queryFn: () => take(api.GET('/v1/audit', { params: { query: { ...filter, ...cursor, limit: 50 } } })),
    }),
  );
  return (
    <Stack>
      <Text c="dimmed">Every change by a person, a key or an operator. Removed people appear by id.</Text>
      <AuditFilters />
      <Load query={pages.query} height={240}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">Nothing was changed, or nothing that these filters let through.</Text>
          ) : (
            <AuditEntries entries={data} />
          )
        }
      </Load>
      <Pager pages={pages} />
      <Group gap="md">
        <Text size="sm">Download what is filtered:</Text>
        {['csv', 'ndjson'].map((format) => (
          <Anchor
            key={format}
            size="sm"
            href={`/dashboard/v1/audit/export?${new URLSearchParams({ format, ...filter })}`}
            download
          >
            {format.toUpperCase()}
          </Anchor>
        ))}
      </Group>
    </Stack>
  );
}
