import { REST_COLOUR, SERIES_COLOURS } from '../theme.ts';
import type { ChartSeries } from './chart-content.ts';

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

/** Of the rest. */
const DASHES = 'M0 2H4M4 6H8';

/** What fills the bars of a series, for `fill`. */
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

function nameOf({ colour }: ChartSeries): string {
  return `series-${colour ?? 'rest'}`;
}
