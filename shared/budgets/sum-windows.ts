import { addTo, noUsage } from './count-signals.ts';
import type { WindowUsage } from './evaluate.ts';
import type { BudgetWindow } from './model.ts';

/** Sums the rows of windows, of which each shard has one: by counter, then by the start of the window (epoch ms). Pure. */
export function sumWindows(rows: readonly BudgetWindow[]): Map<string, Map<number, WindowUsage>> {
  const windows = new Map<string, Map<number, WindowUsage>>();
  for (const row of rows) {
    const ofCounter = windows.get(row.counter) ?? new Map<number, WindowUsage>();
    windows.set(row.counter, ofCounter);
    const interval = { startMs: row.window_start.getTime(), endMs: row.window_end.getTime() };
    const window = ofCounter.get(interval.startMs) ?? { interval, usage: noUsage() };
    ofCounter.set(interval.startMs, window);
    addTo(window.usage, row);
  }
  return windows;
}
