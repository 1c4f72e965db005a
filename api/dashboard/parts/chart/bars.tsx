import { Box, Group, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import type { ChartContent } from './content.ts';
import { fillOf, Pattern } from './pattern.tsx';
import { indexAt, Plot, placeOf } from './plot.tsx';
import { useWidth } from './use-width.ts';

/**
 * Stacked bars. Each series has a colour, a pattern and an edge; its name and total are below. A period under the pointer, or
 * chosen with the arrow keys, shows its figures.
 */
export function Bars({ title, content }: { title: string; content: ChartContent }) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const [shown, setShown] = useState<number | null>(null);
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
        aria-label={`${title}. The arrow keys give the figures of each period; Show as table gives all.`}
        tabIndex={0}
        onKeyDown={(event) => {
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
      {content.series.length > 1 && <Legend {...content} />}
    </Box>
  );
}

/** The figures of one period, series by series, beside its bar. */
function Figures({ content, index, width }: { content: ChartContent; index: number; width: number }) {
  const { labels, series, format } = content;
  const { middle } = placeOf(content, width, index);
  const isRight = middle > width / 2;
  const present = series.filter(({ values }) => (values[index] ?? 0) !== 0);
  const sum = present.reduce((all, { values }) => all + (values[index] ?? 0), 0);
  return (
    <Paper
      withBorder
      shadow="md"
      p="sm"
      className="chart-figures"
      style={isRight ? { right: width - middle + 12 } : { left: middle + 12 }}
    >
      <Text size="sm" fw={600}>
        {labels[index]}
      </Text>
      {present.map(({ name, values }) => (
        <Figure key={name} name={name} value={format(values[index] ?? 0)} />
      ))}
      {present.length !== 1 && <Figure name="All" value={format(sum)} />}
    </Paper>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <Group justify="space-between" gap="md" wrap="nowrap">
      <Text size="sm" className="clip" maw={180}>
        <bdi>{name}</bdi>
      </Text>
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
          <svg width="14" height="14" aria-hidden="true" style={{ flex: 'none' }}>
            <defs>
              <Pattern series={one} prefix="key-" />
            </defs>
            <rect
              x="0.5"
              y="0.5"
              width="13"
              height="13"
              fill={fillOf(one, 'key-')}
              stroke="var(--chart-edge)"
            />
          </svg>
          <Text size="sm" className="clip" maw={280}>
            <bdi>{one.name}</bdi>
          </Text>
          <Text size="sm" className="number" c="dimmed">
            {format(one.values.reduce((sum, value) => sum + value, 0))}
          </Text>
        </Group>
      ))}
    </Group>
  );
}
