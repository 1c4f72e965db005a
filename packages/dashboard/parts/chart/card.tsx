import { Button, Group, Skeleton } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Section } from '../page/section.tsx';
import { Bars } from './bars.tsx';
import type { ChartContent } from './content.ts';

/** Loaded when it is first asked for: most people look at the chart alone. */
const FigureTable = lazy(async () => ({ default: (await import('./figure-table.tsx')).FigureTable }));

/** A chart of stacked bars with its title; a button shows the same figures as a table. */
export function ChartCard({
  title,
  content,
  controls,
  view,
  note,
  table,
}: {
  title: string;
  content: ChartContent;
  controls?: React.ReactNode;
  /** The choice between chart and table, where it is kept elsewhere. */
  view?: { asTable: boolean; setAsTable: (asTable: boolean) => void };
  /** A sentence below the figures. */
  note?: React.ReactNode;
  /** Shown above the figures of the table view. */
  table?: React.ReactNode;
}) {
  const [own, setOwn] = useState(false);
  const { asTable, setAsTable } = view ?? { asTable: own, setAsTable: setOwn };
  return (
    <Section
      title={title}
      aside={
        <Group gap="sm">
          {controls}
          <Button size="compact-sm" variant="default" onClick={() => setAsTable(!asTable)}>
            {asTable ? 'Show as chart' : 'Show as table'}
          </Button>
        </Group>
      }
    >
      {asTable ? (
        <Suspense fallback={<Skeleton height={240} />}>
          {table}
          <FigureTable content={content} title={title} />
        </Suspense>
      ) : (
        <Bars content={content} title={title} />
      )}
      {note}
    </Section>
  );
}
