import { Box, Group, Text } from '@mantine/core';
import type { Budget, WindowUsage } from '../../data/queries.ts';
import { bucketLabel } from '../../words/time.ts';
import { ticksOf } from '../chart/scale.ts';
import { useWidth } from '../chart/use-width.ts';
import { amount, axisMoney, compact } from '../text/format.ts';
import { useZone } from '../time/when.tsx';

const HEIGHT = 240;
const TOP = 10;
const BOTTOM = HEIGHT - 24;
const LEFT = 64;
const RIGHT = 8;
/** Room that the name of a time takes. */
const LABEL = 72;

interface Spot {
  ms: number;
  value: number;
}

/**
 * How the total of a window grew, its threshold, and the forecast of its end as a dashed line. The total of all people of a template
 * has no threshold: theirs are for each alone.
 */
export function RunningTotal({
  label,
  budget,
  usage,
}: {
  label: string;
  budget: Budget;
  usage: WindowUsage;
}) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const { metric, people } = budget;
  const threshold = people === null ? budget.threshold_now : null;
  const nowMs = Date.now();
  const spots = spotsOf(usage, nowMs);
  const last = spots.at(-1) ?? { ms: Date.parse(usage.start), value: 0 };
  // A window that does not end is drawn up to now, and has no forecast.
  const isOver = usage.end === null || last.ms >= Date.parse(usage.end);
  const most = threshold === null ? 'by all together' : `of ${amount(metric, threshold)}`;
  const words = `${label}: ${amount(metric, last.value)} ${most}${
    isOver ? '' : `, forecast ${amount(metric, usage.forecast)}`
  }. Show as table gives all figures.`;
  return (
    <Box>
      <Box ref={frame} className="chart" role="img" aria-label={words}>
        <Lines
          metric={metric}
          threshold={threshold}
          usage={usage}
          spots={spots}
          width={width}
          forecast={isOver ? null : last}
        />
      </Box>
      <Legend
        rows={[
          ['total', 'Used', amount(metric, last.value)],
          ...(threshold === null ? [] : [['threshold', 'Threshold', amount(metric, threshold)] as const]),
          ...(isOver ? [] : [['forecast', 'Forecast', amount(metric, usage.forecast)] as const]),
        ]}
      />
    </Box>
  );
}

/** The total at the end of each point, up to now. Pure. */
function spotsOf({ start, end, points }: WindowUsage, nowMs: number): Spot[] {
  const spots = points.map(({ total }, at) => {
    const next = points[at + 1]?.start;
    const lastMs = end === null ? nowMs : Math.min(nowMs, Date.parse(end));
    return { ms: next === undefined ? lastMs : Date.parse(next), value: total };
  });
  return [{ ms: Date.parse(start), value: 0 }, ...spots];
}

function Lines({
  metric,
  threshold,
  usage,
  spots,
  width,
  forecast,
}: {
  metric: Budget['metric'];
  threshold: number | null;
  usage: WindowUsage;
  spots: readonly Spot[];
  width: number;
  forecast: Spot | null;
}) {
  const zone = useZone();
  const [startMs, endMs] = boundsOf(usage);
  const most = Math.max(threshold ?? 0, ...spots.map(({ value }) => value), forecast ? usage.forecast : 0);
  const ticks = ticksOf(most);
  const top = ticks.at(-1) ?? 1;
  const xOf = (ms: number) => LEFT + ((ms - startMs) / (endMs - startMs)) * Math.max(width - LEFT - RIGHT, 0);
  const yOf = (value: number) => BOTTOM - (value / top) * (BOTTOM - TOP);
  const axis = metric === 'cost_usd' ? axisMoney : compact;
  const path = spots.map(({ ms, value }) => `${xOf(ms)},${yOf(value)}`).join(' ');
  return (
    <svg width={width} height={HEIGHT} aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={width - RIGHT} y1={yOf(tick)} y2={yOf(tick)} className="chart-grid" />
          <text x={LEFT - 8} y={yOf(tick) + 4} textAnchor="end">
            {axis(tick)}
          </text>
        </g>
      ))}
      {timesOf(usage, width).map((ms) => (
        <text key={ms} x={xOf(ms)} y={HEIGHT - 6} textAnchor="middle">
          {bucketLabel(new Date(ms).toISOString(), labelInterval(usage), zone)}
        </text>
      ))}
      <polyline className="total" points={path} />
      {threshold !== null && (
        <line className="threshold" x1={LEFT} x2={width - RIGHT} y1={yOf(threshold)} y2={yOf(threshold)} />
      )}
      {forecast && (
        <line
          className="forecast"
          x1={xOf(forecast.ms)}
          y1={yOf(forecast.value)}
          x2={xOf(endMs)}
          y2={yOf(usage.forecast)}
        />
      )}
    </svg>
  );
}

/** The bounds of the drawing: those of the window, or up to now. Epoch ms. */
function boundsOf({ start, end }: WindowUsage): [startMs: number, endMs: number] {
  return [Date.parse(start), end === null ? Date.now() : Date.parse(end)];
}

/** The times of points are named by the hour, or by the day. */
export function labelInterval({ interval }: Pick<WindowUsage, 'interval'>): 'hour' | 'day' {
  return interval === 'quarter_hour' || interval === 'hour' ? 'hour' : 'day';
}

/** As many times as there is room for, each a sixth of the window or so apart. Pure. */
function timesOf(usage: WindowUsage, width: number): number[] {
  const [startMs, endMs] = boundsOf(usage);
  const count = Math.max(1, Math.min(6, Math.floor((width - LEFT - RIGHT) / LABEL)));
  const step = (endMs - startMs) / count;
  return Array.from({ length: count }, (_, at) => startMs + (at + 0.5) * step);
}

function Legend({ rows }: { rows: readonly (readonly [line: string, name: string, value: string])[] }) {
  return (
    <Group gap="md" mt="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {rows.map(([line, name, value]) => (
        <Group key={line} component="li" gap={6} wrap="nowrap">
          <svg width="22" height="10" aria-hidden="true" style={{ flex: 'none' }}>
            <line className={line} x1="0" x2="22" y1="5" y2="5" />
          </svg>
          <Text size="sm">{name}</Text>
          <Text size="sm" className="number" c="dimmed">
            {value}
          </Text>
        </Group>
      ))}
    </Group>
  );
}
