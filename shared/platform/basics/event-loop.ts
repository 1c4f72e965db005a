import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

type Delays = ReturnType<typeof monitorEventLoopDelay>;

/** Figures of the event loop's turns since the last scrape, under the names that prom-client gives. */
const FIGURES: Readonly<Record<string, { help: string; of: (delays: Delays) => number }>> = {
  nodejs_eventloop_lag_min_seconds: { help: 'The shortest turn', of: ({ min }) => min },
  nodejs_eventloop_lag_max_seconds: { help: 'The longest turn', of: ({ max }) => max },
  nodejs_eventloop_lag_mean_seconds: { help: 'The mean of the turns', of: ({ mean }) => mean },
  nodejs_eventloop_lag_stddev_seconds: {
    help: 'The standard deviation of the turns',
    of: (all) => all.stddev,
  },
  nodejs_eventloop_lag_p50_seconds: { help: 'The median turn', of: (all) => all.percentile(50) },
  nodejs_eventloop_lag_p90_seconds: {
    help: 'The 90th percentile of the turns',
    of: (all) => all.percentile(90),
  },
  nodejs_eventloop_lag_p99_seconds: {
    help: 'The 99th percentile of the turns',
    of: (all) => all.percentile(99),
  },
};

/**
 * Measures every turn of the event loop and tells how long they took (seconds), waiting for work not counted, in place of
 * what prom-client tells under these names. Its timer wakes the process every 10 ms, misses turns and adds its period to
 * the others; this wakes nobody (`samplePerIteration`, https://nodejs.org/api/perf_hooks.html).
 */
export function measureEventLoop(registry: Registry): void {
  const delays = monitorEventLoopDelay({ samplePerIteration: true });
  delays.enable();
  const last = Object.keys(FIGURES).at(-1);
  for (const [name, { help, of }] of Object.entries(FIGURES)) {
    registry.removeSingleMetric(name);
    new Gauge({
      name,
      help: `${help} of the event loop since the last scrape.`,
      registers: [registry],
      collect() {
        this.set(delays.count > 0 ? of(delays) / 1e9 : 0);
        if (name === last) delays.reset();
      },
    });
  }
}
