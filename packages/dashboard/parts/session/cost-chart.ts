import { clockOf } from '../../words/time.ts';
import type { ChartContent } from '../chart/content.ts';
import { axisMoney, money } from '../text/format.ts';
import type { Signal } from './words.ts';

const MOST_BARS = 120;

/** Cost by the minute; a long session by as many minutes as make 120 bars. The signals come in order of time. Pure. */
export function costChart(
  signals: readonly Signal[],
  zone: string,
): { title: string; content: ChartContent } {
  const firstMs = Math.floor(Date.parse(signals[0]?.ts ?? '') / 60_000) * 60_000;
  const minutes = Math.floor((Date.parse(signals.at(-1)?.ts ?? '') - firstMs) / 60_000) + 1;
  const step = Math.ceil(minutes / MOST_BARS);
  const values = Array.from({ length: Math.ceil(minutes / step) }, () => 0);
  for (const { ts, cost_usd } of signals) {
    const bar = Math.floor((Date.parse(ts) - firstMs) / 60_000 / step);
    values[bar] = (values[bar] ?? 0) + (cost_usd ?? 0);
  }
  const title = step === 1 ? 'Cost per minute' : `Cost per ${step} minutes`;
  return {
    title,
    content: {
      labels: values.map((_, index) => clockOf(firstMs + index * step * 60_000, zone)),
      series: [{ name: title, colour: 0, values }],
      format: money,
      axis: axisMoney,
    },
  };
}
