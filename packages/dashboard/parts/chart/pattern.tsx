import type { ChartSeries } from './content.ts';

/** Okabe and Ito's colours, in this order for every chart; grey is the rest. */
const SERIES_COLOURS = [
  '#0072b2',
  '#e69f00',
  '#009e73',
  '#cc79a7',
  '#56b4e9',
  '#d55e00',
  '#f0e442',
  '#7a5195',
] as const;
const REST_COLOUR = '#8a8f94';

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

/** The hatching of the rest. */
const DASHES = 'M0 2H4M4 6H8';

/** The fill of the bars of a series, for `fill`. */
export function fillOf(series: ChartSeries, prefix = ''): string {
  return `url(#${prefix}${nameOf(series)})`;
}

/** A series' colour and hatching. Two drawings of one page need two prefixes. */
export function Pattern({ series, prefix = '' }: { series: ChartSeries; prefix?: string }) {
  const { colour } = series;
  const hatch = colour === null ? DASHES : HATCHES[colour % HATCHES.length];
  const hue = colour === null ? undefined : SERIES_COLOURS[colour % SERIES_COLOURS.length];
  return (
    <pattern id={prefix + nameOf(series)} width="8" height="8" patternUnits="userSpaceOnUse">
      <rect width="8" height="8" fill={hue ?? REST_COLOUR} />
      {hatch && <path d={hatch} stroke="#fff" strokeOpacity="0.75" strokeWidth="1.5" fill="none" />}
    </pattern>
  );
}

/** The colour and the hatching of a series. */
export function Swatch({ of, prefix }: { of: ChartSeries; prefix: string }) {
  return (
    <svg width="14" height="14" aria-hidden="true" style={{ flex: 'none' }}>
      <defs>
        <Pattern series={of} prefix={prefix} />
      </defs>
      <rect x="0.5" y="0.5" width="13" height="13" fill={fillOf(of, prefix)} stroke="var(--chart-edge)" />
    </svg>
  );
}

function nameOf({ colour }: ChartSeries): string {
  return `series-${colour ?? 'rest'}`;
}
