import { Box, Group, Paper, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Name } from '../text/name.tsx';
import type { ChartContent, ChartSeries } from './content.ts';
import { Swatch } from './pattern.tsx';
import { indexAt, Plot, placeOf } from './plot.tsx';
import { useWidth } from './use-width.ts';

/**
 * Stacked bars. Each series has a colour, a pattern and an edge; its name and total are below. A period under the pointer, or
 * chosen with the arrow keys, shows its figures.
 */
export function Bars({
  title,
  content,
  allIn = 'Show as table',
}: {
  title: string;
  content: ChartContent;
  /** The place of all figures. */
  allIn?: string;
}) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const [shown, setShown] = useState<number | null>(null);
  const navigate = useNavigate();
  const last = content.labels.length - 1;
  const keys: Record<string, number> = {
    ArrowRight: Math.min((shown ?? -1) + 1, last),
    ArrowLeft: Math.max((shown ?? last + 1) - 1, 0),
    Home: 0,
    End: last,
  };
  return (
    <Box>
      <Box
        ref={frame}
        className="chart"
        role="application"
        aria-label={`${title}. The arrow keys give the figures of each period${content.pageOf ? ', Enter opens it' : ''}; ${allIn} gives all.`}
        tabIndex={0}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && shown !== null && content.pageOf)
            void navigate(content.pageOf(shown) as never);
          const next = keys[event.key];
          if (next === undefined) return;
          event.preventDefault();
          setShown(next);
        }}
        onBlur={() => setShown(null)}
        onMouseMove={({ clientX, currentTarget }) =>
          setShown(indexAt(content, width, clientX - currentTarget.getBoundingClientRect().left))
        }
        onMouseLeave={() => setShown(null)}
      >
        <Plot content={content} width={width} shown={shown} />
        <div role="status">{shown !== null && <Figures content={content} index={shown} width={width} />}</div>
      </Box>
      <Legend {...content} />
    </Box>
  );
}

/** The figures of one period, series by series, beside its bar. */
function Figures({ content, index, width }: { content: ChartContent; index: number; width: number }) {
  const { labels, series, format, instead } = content;
  const words = instead?.[index] ?? null;
  const { middle, bar } = placeOf(content, width, index);
  const beside = bar / 2 + 8;
  const isRight = middle > width / 2;
  const present = series.filter(({ values }) => (values[index] ?? 0) !== 0);
  const sum = present.reduce((all, { values }) => all + (values[index] ?? 0), 0);
  return (
    <Paper
      withBorder
      shadow="md"
      p="sm"
      className="chart-figures"
      style={isRight ? { right: width - middle + beside } : { left: middle + beside }}
    >
      <Text size="sm" fw={600}>
        {labels[index]}
      </Text>
      {present.map((one) => (
        <Figure key={one.name} series={one} name={one.name} value={format(one.values[index] ?? 0)} />
      ))}
      {words !== null && <Text size="sm">{words}</Text>}
      {words === null && present.length !== 1 && <Figure name="All" value={format(sum)} />}
    </Paper>
  );
}

/** A figure after the swatch of its series, if it is one's. */
function Figure({ name, value, series }: { name: string; value: string; series?: ChartSeries }) {
  return (
    <Group justify="space-between" gap="md" wrap="nowrap">
      <Group gap={6} wrap="nowrap" miw={0}>
        {series && <Swatch of={series} prefix="figure-" />}
        <Text size="sm" className="clip" maw={180}>
          <Name of={name} />
        </Text>
      </Group>
      <Text size="sm" className="number">
        {value}
      </Text>
    </Group>
  );
}

function Legend({ series, format }: Pick<ChartContent, 'series' | 'format'>) {
  return (
    <Group gap="md" mt="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {series.map((one) => (
        <Group key={one.name} component="li" gap={6} wrap="nowrap" maw="100%">
          <Swatch of={one} prefix="key-" />
          <Text size="sm" className="clip" maw={280}>
            <Name of={one.name} />
          </Text>
          <Text size="sm" className="number" c="dimmed">
            {format(one.values.reduce((sum, value) => sum + value, 0))}
          </Text>
        </Group>
      ))}
    </Group>
  );
}
