import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DomainError } from '../shared/errors.ts';
import type { Metrics } from '../shared/metrics.ts';
import type { Priority } from './route.ts';

/** From which load on a request is refused, so that those of higher priority go on. */
const CAPS: Record<Priority, { inFlight: number; lagMs: number }> = {
  export: { inFlight: 16, lagMs: 150 },
  read: { inFlight: 500, lagMs: 500 },
  ingest: { inFlight: 2_000, lagMs: 1_000 },
  consume: { inFlight: 4_000, lagMs: 2_000 },
};
const SAMPLE_MS = 500;

export interface Shedder {
  /** Takes a place; the returned function gives it back. Throws `overloaded`. */
  enter(priority: Priority): () => void;
  stop(): void;
}

/** Refuses early and cheaply instead of queueing without bound. */
export function createShedder(metrics: Metrics): Shedder {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let lagMs = 0;
  let lateMs = 0;
  let sampledAtMs = performance.now();
  const sampling = setInterval(() => {
    // Turns that take seconds are missing from the histogram: how late this timer is tells them, twice in a row, so that
    // one pause refuses nobody.
    const lateBeforeMs = lateMs;
    lateMs = performance.now() - sampledAtMs - SAMPLE_MS;
    sampledAtMs = performance.now();
    lagMs = Math.max(delay.count > 0 ? delay.mean / 1e6 : 0, Math.min(lateMs, lateBeforeMs));
    delay.reset();
  }, SAMPLE_MS);
  sampling.unref();
  const inFlight: Record<Priority, number> = { export: 0, read: 0, ingest: 0, consume: 0 };
  return {
    enter: (priority) => {
      const cap = CAPS[priority];
      if (inFlight[priority] >= cap.inFlight || lagMs >= cap.lagMs) {
        metrics.shed.inc({ priority });
        throw new DomainError('overloaded', 'The service is at its limit for requests of this kind.');
      }
      inFlight[priority] += 1;
      return () => {
        inFlight[priority] -= 1;
      };
    },
    stop: () => {
      clearInterval(sampling);
      delay.disable();
    },
  };
}
