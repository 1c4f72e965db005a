import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Box, Group, Text } from '@mantine/core';
import { REST_COLOUR, SERIES_COLOURS } from '../theme.ts';
import type { ChartContent, ChartSeries } from './chart-content.ts';

/** The directions of the hatching that tells series apart without their hue; the first is plain. */
const HATCHES = [
  null,
  'M0 8L8 0',
  'M0 0L8 8',
  'M4 0V8',
  'M0 4H8',
  'M0 8L8 0M0 0L8 8',
  'M4 0V8M0 4H8',
  'M2 2h1v1h-1z',
] as const;

/** Stacked bars. Each series has a colour, a pattern and an edge; its name and total stand below. */
export function Bars({ title, content }: { title: string; content: ChartContent }) {
  const { labels, series, format, axis = format, line } = content;
  const rows = labels.map((label, index) => ({
    label,
    ...Object.fromEntries(series.map(({ name, values }) => [name, values[index] ?? 0])),
  }));
  return (
    <Box>
      <Box>
        <BarChart
          h={240}
          barChartProps={{ title: `${title}. Show as table gives the figures.` }}
          data={rows}
          dataKey="label"
          type="stacked"
          series={series.map((one) => ({ name: one.name, color: colourOf(one) }))}
          valueFormatter={format}
          tooltipProps={{ isAnimationActive: false }}
          barProps={(one) => ({
            isAnimationActive: false,
            fill: `url(#${patternId(series.find(({ name }) => name === one.name))})`,
          })}
          yAxisProps={{ width: 64, tickFormatter: (value: number) => axis(value) }}
          maxBarWidth={56}
          referenceLines={
            line
              ? [
                  {
                    y: line.value,
                    label: line.label,
                    // Under the line: above it may be the title.
                    labelPosition: 'insideTopLeft',
                    color: 'var(--bad)',
                    ifOverflow: 'extendDomain',
                  },
                ]
              : []
          }
        >
          <defs>
            {series.map((one) => (
              <Pattern key={one.name} series={one} />
            ))}
          </defs>
        </BarChart>
      </Box>
      {series.length > 1 && <Legend series={series} format={format} />}
    </Box>
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
              fill={`url(#key-${patternId(one)})`}
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

function colourOf({ colour }: ChartSeries): string {
  return (colour === null ? undefined : SERIES_COLOURS[colour % SERIES_COLOURS.length]) ?? REST_COLOUR;
}

function patternId(series: ChartSeries | undefined): string {
  return `series-${series?.colour ?? 'rest'}`;
}

function Pattern({ series, prefix = '' }: { series: ChartSeries; prefix?: string }) {
  const hatch = series.colour === null ? null : HATCHES[series.colour % HATCHES.length];
  return (
    <pattern id={prefix + patternId(series)} width="8" height="8" patternUnits="userSpaceOnUse">
      <rect width="8" height="8" fill={colourOf(series)} />
      {hatch && <path d={hatch} stroke="#fff" strokeOpacity="0.75" strokeWidth="1.5" fill="none" />}
    </pattern>
  );
}
