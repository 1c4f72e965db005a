import { Button, NativeSelect, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useChangeSearch, useFilters, useRange } from '../data/use-range.ts';
import { Page } from '../parts/page.tsx';
import { RangeBar } from '../parts/range-bar.tsx';
import { Copyable } from '../parts/secret.tsx';

const FORMATS = { csv: 'CSV', ndjson: 'NDJSON', parquet: 'Parquet' } as const;
const LEVELS = {
  sessions: 'One row per session that began in the range',
  daily: 'One row per day, user, project, model and tool',
} as const;

/** The figures as a file: a plain link, and the same as a command. */
export function Export() {
  const range = useRange();
  const filters = useFilters();
  const search = useSearch({ strict: false }) as { format?: string; level?: string };
  const change = useChangeSearch();
  const format = search.format !== undefined && search.format in FORMATS ? search.format : 'csv';
  const level = search.level !== undefined && search.level in LEVELS ? search.level : 'sessions';
  const query = new URLSearchParams({ format, level, ...range.query, ...filters });
  const path = `/api/v1/usage/export?${query}`;
  return (
    <Page
      title="Export"
      lead="Money has nine decimals. The rows per day add up to the cost that Overview shows; a session’s row has all that it cost, also after the range."
    >
      <RangeBar />
      <Paper withBorder p="md">
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <NativeSelect
              label="Format"
              value={format}
              onChange={(event) => change({ format: event.currentTarget.value })}
              data={Object.entries(FORMATS).map(([value, label]) => ({ value, label }))}
            />
            <NativeSelect
              label="Level"
              value={level}
              onChange={(event) => change({ level: event.currentTarget.value })}
              data={Object.entries(LEVELS).map(([value, label]) => ({ value, label }))}
            />
          </SimpleGrid>
          <Text>{range.label}, with the filters above. Members export what is their own.</Text>
          <div>
            <Button component="a" href={`/dashboard${path}`} download>
              Download
            </Button>
          </div>
        </Stack>
      </Paper>
      <Paper withBorder p="md">
        <Title order={2} mb="sm">
          The same from a script
        </Title>
        <Copyable
          label="Command"
          value={`curl -OJ '${window.location.origin}${path}' \\\n  -H "Authorization: Bearer $API_KEY"`}
        />
      </Paper>
    </Page>
  );
}
