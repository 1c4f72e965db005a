import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Metrics } from '../../shared/platform/basics/metrics.ts';
import { requestsShed } from '../basics/metrics.ts';
import type { Priority } from '../basics/route.ts';

/** The load at which a request is refused, so that those of higher priority go on. */
const CAPS: Record<Priority, { inFlight: number; lagMs: number }> = {
  export: { inFlight: 16, lagMs: 150 },
  read: { inFlight: 500, lagMs: 500 },
  ingest: { inFlight: 2_000, lagMs: 1_000 },
  consume: { inFlight: 4_000, lagMs: 2_000 },
};
/** The part of a priority's places that one caller may hold: however much it asks, others are answered. */
const SHARES = { organization: 1 / 4, address: 1 / 16 } as const;

/** By whom places are held: an organization, or the address of a caller that is not proven. */
export interface Owner {
  kind: keyof typeof SHARES;
  name: string;
}

const SAMPLE_MS = 500;
/** Between two looks at the event loop; the histogram counts it in. */
const LOOK_MS = 50;
/** How long after the last request the event loop is still measured: one may take many turns of seconds. */
const REST_AFTER_MS = 60_000;

export interface Shedder {
  /** Throws `overloaded` while the event loop is too late for requests of this kind. Needs to know nothing else. */
  refuseWhenLate(priority: Priority): void;
  /**
   * Takes a place, and one of the owner's share of them. The returned function gives both back. Throws `overloaded`.
   */
  enter(priority: Priority, owner?: Owner): () => void;
  stop(): void;
}

/** How late the event loop is. */
interface Lateness {
  /** Milliseconds, of the half second before; 0 when it was not measured. */
  read(): number;
  stop(): void;
}

/**
 * Measures the event loop while somebody asks for it: a process that nobody calls is not woken for it. Whoever
 * asks after a pause is told 0, and so is everyone of the half second that follows.
 */
function measureLateness(): Lateness {
  const delay = monitorEventLoopDelay({ resolution: LOOK_MS });
  let lagMs = 0;
  let lateMs = 0;
  let sampledAtMs = 0;
  let askedMs = 0;
  let sampling: NodeJS.Timeout | null = null;

  function start(): NodeJS.Timeout {
    delay.enable();
    sampledAtMs = performance.now();
    return setInterval(sample, SAMPLE_MS).unref();
  }
  function stop(): void {
    if (sampling) clearInterval(sampling);
    sampling = null;
    delay.disable();
    delay.reset();
    lagMs = 0;
    lateMs = 0;
  }
  function sample(): void {
    if (performance.now() - askedMs > REST_AFTER_MS) {
      stop();
      return;
    }
    // The histogram misses turns that take seconds. This timer's own delay shows them; it counts when it comes twice in a
    // row, so that one pause refuses nobody.
    const lateBeforeMs = lateMs;
    lateMs = performance.now() - sampledAtMs - SAMPLE_MS;
    sampledAtMs = performance.now();
    lagMs = Math.max(delay.count > 0 ? delay.mean / 1e6 - LOOK_MS : 0, Math.min(lateMs, lateBeforeMs));
    delay.reset();
  }
  return {
    read: () => {
      askedMs = performance.now();
      sampling ??= start();
      return lagMs;
    },
    stop,
  };
}

/** Refuses early and cheaply instead of queueing without bound. */
export function createShedder(metrics: Metrics): Shedder {
  const lateness = measureLateness();
  const shed = requestsShed({ metrics });
  const refuse = (priority: Priority, detail: string) => {
    shed.inc({ priority });
    throw new DomainError('overloaded', detail);
  };
  const held = new Map<string, number>();
  return {
    refuseWhenLate: (priority) => {
      if (lateness.read() >= CAPS[priority].lagMs)
        refuse(priority, 'The service is too busy for requests of this kind.');
    },
    enter: (priority, owner) => {
      const most = CAPS[priority].inFlight;
      const counted = [{ name: priority as string, most }];
      if (owner)
        counted.push({ name: `${priority} ${owner.kind} ${owner.name}`, most: most * SHARES[owner.kind] });
      const isFull = counted.some((places) => (held.get(places.name) ?? 0) >= places.most);
      if (isFull)
        refuse(
          priority,
          'The service has too many requests in flight, or this caller has its share of them.',
        );
      for (const { name } of counted) add(held, name, 1);
      return () => {
        for (const { name } of counted) add(held, name, -1);
      };
    },
    stop: () => lateness.stop(),
  };
}

/** A name whose count is 0 takes no memory. */
function add(counts: Map<string, number>, name: string, change: number): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
