import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { Section } from '../page/section.tsx';
import { Bars } from './bars.tsx';
import type { ChartContent } from './content.ts';
import { FigureTable } from './figure-table.tsx';

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
      {asTable ? <FigureTable content={content} title={title} /> : <Bars content={content} title={title} />}
    </Section>
  );
}
