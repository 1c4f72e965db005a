import { Button, Group, Paper, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { Bars } from './bars.tsx';
import type { ChartContent } from './chart-content.ts';
import { type Column, Rows } from './rows.tsx';
import { Wide } from './wide.tsx';

/** A chart of stacked bars with its title; a button shows the same figures as a table. */
export function ChartCard({
  title,
  content,
  controls,
}: {
  title: string;
  content: ChartContent;
  controls?: React.ReactNode;
}) {
  const [asTable, setAsTable] = useState(false);
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Title order={2}>{title}</Title>
          <Group gap="sm">
            {controls}
            <Button size="compact-sm" variant="default" onClick={() => setAsTable(!asTable)}>
              {asTable ? 'Show as chart' : 'Show as table'}
            </Button>
          </Group>
        </Group>
        {asTable ? <FigureTable content={content} title={title} /> : <Bars content={content} title={title} />}
      </Stack>
    </Paper>
  );
}

interface Period {
  index: number;
  label: string;
}

/** Two periods may be called alike, so a row is known by its place. */
function FigureTable({
  title,
  content: { labels, series, format },
}: {
  title: string;
  content: ChartContent;
}) {
  const columns: readonly Column<Period>[] = [
    { label: 'Period', isHeading: true, narrow: 'first', render: ({ label }) => label },
    ...series.map(({ name, values }) => ({
      label: name,
      isNumber: true,
      render: ({ index }: Period) => format(values[index] ?? 0),
    })),
  ];
  return (
    <Wide label={`${title}, figures`}>
      <Rows
        label={title}
        rows={labels.map((label, index) => ({ index, label }))}
        columns={columns}
        keyOf={({ index }) => String(index)}
      />
    </Wide>
  );
}
