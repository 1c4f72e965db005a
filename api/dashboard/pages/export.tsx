import { Button, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useChoice, useFilters, useRange } from '../data/use-range.ts';
import { Copyable } from '../parts/form/copyable.tsx';
import { optionsOf, SearchSelect } from '../parts/form/search-select.tsx';
import { Page } from '../parts/page/page.tsx';
import { RangeBar } from '../parts/page/range-bar.tsx';
import { Section } from '../parts/page/section.tsx';

const FORMATS = { csv: 'CSV', ndjson: 'NDJSON', parquet: 'Parquet' } as const;
const LEVELS = {
  sessions: 'One row per session that began in the range',
  daily: 'One row per day, user, project, model and tool',
} as const;

/** The figures as a file: a plain link, and the same as a command. */
export function Export() {
  const range = useRange();
  const filters = useFilters();
  const format = useChoice('format', FORMATS) ?? 'csv';
  const level = useChoice('level', LEVELS) ?? 'sessions';
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
            <SearchSelect name="format" label="Format" value={format} data={optionsOf(FORMATS)} />
            <SearchSelect name="level" label="Level" value={level} data={optionsOf(LEVELS)} />
          </SimpleGrid>
          <Text>{range.label}, with the filters above. Members export what is their own.</Text>
          <div>
            <Button component="a" href={`/dashboard${path}`} download>
              Download
            </Button>
          </div>
        </Stack>
      </Paper>
      <Section title="The same from a script">
        <Copyable
          label="Command"
          value={`curl -OJ '${window.location.origin}${path}' \\\n  -H "Authorization: Bearer $API_KEY"`}
        />
      </Section>
    </Page>
  );
}
