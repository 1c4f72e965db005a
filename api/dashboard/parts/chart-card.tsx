import { Button, Group, Paper, Skeleton, Stack, Table, Title } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { ChartContent } from './chart-content.ts';
import { Wide } from './wide.tsx';

// Asked for with the page, not only when its figures are there: both take their time.
const charts = import('./charts.tsx');
const Bars = lazy(async () => ({ default: (await charts).Bars }));

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
        {asTable ? (
          <FigureTable content={content} title={title} />
        ) : (
          <Suspense fallback={<Skeleton height={280} />}>
            <Bars content={content} title={title} />
          </Suspense>
        )}
      </Stack>
    </Paper>
  );
}

function FigureTable({ title, content }: { title: string; content: ChartContent }) {
  const { labels, series, format } = content;
  return (
    <Wide label={`${title}, figures`}>
      <Table aria-label={title} verticalSpacing={2} miw={Math.min(900, 120 + series.length * 110)}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Period</Table.Th>
            {series.map(({ name }) => (
              <Table.Th key={name} className="number" scope="col">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {labels.map((label, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: periods stand in a fixed order, and two may be called alike.
            <Table.Tr key={index}>
              <Table.Th scope="row">{label}</Table.Th>
              {series.map(({ name, values }) => (
                <Table.Td key={name} className="number">
                  {format(values[index] ?? 0)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Wide>
  );
}
