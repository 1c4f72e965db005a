import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client';

/** The metrics of one process. Times are in seconds, as Prometheus wants them. */
export interface Metrics {
  registry: Registry;
}

/** Opens a registry; `defaults` adds what Node tells of itself. */
export function createMetrics(options: { defaults: boolean }): Metrics {
  const registry = new Registry();
  if (options.defaults) collectDefaults(registry);
  return { registry };
}

/** As long as a timer can be set: 24 days. */
const NEVER_MS = 2 ** 31 - 1;

/** Its own looks at the event loop cannot be left out, so they are put off for ever, and ours take their names. */
function collectDefaults(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  measureEventLoop(registry);
}

type Delays = ReturnType<typeof monitorEventLoopDelay>;

/** Figures of the event loop's turns since the last scrape, under the names that prom-client gives. */
const FIGURES: readonly [name: string, help: string, of: (delays: Delays) => number][] = [
  ['min', 'The shortest turn', ({ min }) => min],
  ['max', 'The longest turn', ({ max }) => max],
  ['mean', 'The mean of the turns', ({ mean }) => mean],
  ['stddev', 'The standard deviation of the turns', ({ stddev }) => stddev],
  ['p50', 'The median turn', (delays) => delays.percentile(50)],
  ['p90', 'The 90th percentile of the turns', (delays) => delays.percentile(90)],
  ['p99', 'The 99th percentile of the turns', (delays) => delays.percentile(99)],
];

/**
 * Measures every turn of the event loop and tells how long they took (seconds), waiting for work not counted, in place of
 * what prom-client tells under these names. Its timer wakes the process every 10 ms, misses turns and adds its period to
 * the others; this wakes nobody (`samplePerIteration`, https://nodejs.org/api/perf_hooks.html).
 */
function measureEventLoop(registry: Registry): void {
  const delays = monitorEventLoopDelay({ samplePerIteration: true });
  delays.enable();
  for (const [figure, help, of] of FIGURES) {
    const name = `nodejs_eventloop_lag_${figure}_seconds`;
    registry.removeSingleMetric(name);
    new Gauge({
      name,
      help: `${help} of the event loop since the last scrape.`,
      registers: [registry],
      collect() {
        this.set(delays.count > 0 ? of(delays) / 1e9 : 0);
        if (of === FIGURES.at(-1)?.[2]) delays.reset();
      },
    });
  }
}

/** A declared metric: called with a context, it is the metric of that process. */
export type DeclaredMetric<M> = (ctx: { metrics: Metrics }) => M;

/** Declares a counter of a noun. `shown` has labels that are told from the start, at 0: only then is their first count growth. */
export function counter<L extends string>({
  shown = [],
  ...options
}: Omit<CounterConfiguration<L>, 'registers'> & {
  shown?: readonly Record<L, string>[];
}): DeclaredMetric<Counter<L>> {
  return declared((registry) => {
    const made = new Counter<L>({ ...options, registers: [registry] });
    for (const labels of shown) made.inc(labels, 0);
    return made;
  });
}

/** Declares a gauge of a noun. It has no value in a process that has not measured it: a 0 would say that all is well. */
export function gauge<L extends string>(
  options: Omit<GaugeConfiguration<L>, 'registers'>,
): DeclaredMetric<Gauge<L>> {
  return declared((registry) => {
    const made = new Gauge<L>({ ...options, registers: [registry] });
    made.remove({});
    return made;
  });
}

export function histogram<L extends string>(
  options: Omit<HistogramConfiguration<L>, 'registers'>,
): DeclaredMetric<Histogram<L>> {
  return declared((registry) => new Histogram<L>({ ...options, registers: [registry] }));
}

function declared<M>(make: (registry: Registry) => M): DeclaredMetric<M> {
  const made = new WeakMap<Registry, M>();
  return ({ metrics: { registry } }) => {
    const known = made.get(registry);
    if (known) return known;
    const fresh = make(registry);
    made.set(registry, fresh);
    return fresh;
  };
}
