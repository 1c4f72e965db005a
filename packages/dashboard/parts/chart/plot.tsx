import { Link } from '@tanstack/react-router';
import type { ChartContent } from './content.ts';
import { fillOf, Pattern } from './pattern.tsx';
import { ticksOf } from './scale.ts';

const HEIGHT = 240;
const TOP = 8;
const BOTTOM = HEIGHT - 24;
/** For the figures of the axis. */
const LEFT = 64;
const RIGHT = 8;
/** The room beside the bars, in pixels, for a table whose columns are under them. */
export const PLOT_EDGES = { left: LEFT, right: RIGHT } as const;
const WIDEST_BAR = 56;
/** Room that the name of a period takes. */
const LABEL = 64;

/** Where the bar of a period stands, in pixels. Pure. */
export function placeOf({ labels }: Pick<ChartContent, 'labels'>, width: number, index: number) {
  const band = Math.max(width - LEFT - RIGHT, 0) / Math.max(labels.length, 1);
  const bar = Math.min(band * 0.8, WIDEST_BAR);
  const middle = LEFT + band * (index + 0.5);
  return { band, bar, middle };
}

/** The period whose place holds a point, by its distance from the left edge in pixels. Pure. */
export function indexAt({ labels }: Pick<ChartContent, 'labels'>, width: number, x: number): number | null {
  const index = Math.floor((x - LEFT) / placeOf({ labels }, width, 0).band);
  return index >= 0 && index < labels.length ? index : null;
}

/** The drawing alone: axis, bars, names of the periods, and a line across where there is one. */
export function Plot({
  content,
  width,
  shown,
}: {
  content: ChartContent;
  width: number;
  shown: number | null;
}) {
  const { labels, series, line } = content;
  const sums = labels.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const ticks = ticksOf(Math.max(...sums, line?.value ?? 0, 0));
  const top = ticks.at(-1) ?? 1;
  const yOf = (value: number) => BOTTOM - (value / top) * (BOTTOM - TOP);
  const { band } = placeOf(content, width, 0);
  const every = Math.max(1, Math.ceil(LABEL / Math.max(band, 1)));
  return (
    <svg width={width} height={HEIGHT} aria-hidden="true">
      <defs>
        {series.map((one) => (
          <Pattern key={one.name} series={one} />
        ))}
      </defs>
      <Axis ticks={ticks} yOf={yOf} width={width} content={content} />
      {labels.map((label, index) => {
        const { middle, bar } = placeOf(content, width, index);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two periods may be called alike, so one is known by its place.
          <g key={index}>
            <rect
              x={middle - band / 2}
              y={TOP}
              width={band}
              height={BOTTOM - TOP}
              className={index === shown ? 'chart-band chart-band-shown' : 'chart-band'}
            />
            <Stack content={content} index={index} x={middle - bar / 2} width={bar} yOf={yOf} />
            {index % every === 0 && (
              <text x={middle} y={HEIGHT - 6} textAnchor="middle">
                {label}
              </text>
            )}
          </g>
        );
      })}
      {line && (
        <g className="chart-line">
          <line x1={LEFT} x2={width - RIGHT} y1={yOf(line.value)} y2={yOf(line.value)} />
          <text x={LEFT + 4} y={yOf(line.value) + 14}>
            {line.label}
          </text>
        </g>
      )}
    </svg>
  );
}

function Axis({
  ticks,
  yOf,
  width,
  content: { format, axis = format },
}: {
  ticks: readonly number[];
  yOf: (value: number) => number;
  width: number;
  content: ChartContent;
}) {
  return ticks.map((tick) => (
    <g key={tick}>
      <line x1={LEFT} x2={width - RIGHT} y1={yOf(tick)} y2={yOf(tick)} className="chart-grid" />
      <text x={LEFT - 8} y={yOf(tick) + 4} textAnchor="end">
        {axis(tick)}
      </text>
    </g>
  ));
}

/** One period's bar: the first series stands at the bottom. Each part leads to the page that explains it. */
function Stack({
  content: { series, pageOf },
  index,
  x,
  width,
  yOf,
}: {
  content: ChartContent;
  index: number;
  x: number;
  width: number;
  yOf: (value: number) => number;
}) {
  let below = 0;
  return series.map((one, at) => {
    const value = one.values[index] ?? 0;
    if (value <= 0) return null;
    const bottom = yOf(below);
    below += value;
    const y = yOf(below);
    const bar = (
      <rect
        key={one.name}
        className="chart-bar"
        x={x}
        y={y}
        width={width}
        height={bottom - y}
        fill={fillOf(one)}
      />
    );
    if (!pageOf) return bar;
    const { to, search } = pageOf(index, at);
    return (
      // The drawing is for the eye and the pointer: for the keyboard the table has the same links.
      <Link key={one.name} to={to} search={search as never} tabIndex={-1}>
        {bar}
      </Link>
    );
  });
}
