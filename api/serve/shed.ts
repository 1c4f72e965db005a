import { DomainError } from '../../shared/platform/basics/errors.ts';
import { every } from '../../shared/platform/basics/every.ts';
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

/** How often the delay of the event loop is measured, beyond which a turn is noticed. */
const LOOK_MS = 50;
/** A delay of more is a stall: callers of the requests that are read after it may have given up. */
const STALL_MS = 500;
/** How long after a stall such requests may be read: they are accepted in one turn and read in a later one. */
const CAUTION_MS = 1_000;
/** How long after the last request the event loop is still measured: one may take many turns of seconds. */
const REST_AFTER_MS = 60_000;

export type Shedder = ReturnType<typeof createShedder>;

/**
 * Measures the delay of the event loop by that of a timer, while requests come: a process that nobody calls is not woken
 * for it. (Node's histogram of delays misses turns that take seconds.)
 */
function measureEventLoop() {
  /** Milliseconds, of the last three looks. */
  let delays = [0, 0, 0];
  /** Their median: it leaves out one pause, which should refuse nobody. */
  let delayMs = 0;
  let lookedAtMs = 0;
  let askedAtMs = 0;
  let stalledAtMs = Number.NEGATIVE_INFINITY;
  let stop: (() => Promise<void>) | null = null;

  /** Milliseconds by which the next look is late. */
  function lateness(): number {
    const lateMs = Math.max(0, performance.now() - lookedAtMs - LOOK_MS);
    if (lateMs > STALL_MS) stalledAtMs = performance.now();
    return lateMs;
  }
  async function look(): Promise<void> {
    delays = [...delays.slice(1), lateness()];
    delayMs = delays.toSorted((a, b) => a - b)[1] ?? 0;
    lookedAtMs = performance.now();
    if (lookedAtMs - askedAtMs > REST_AFTER_MS) rest();
  }
  function rest(): void {
    void stop?.();
    stop = null;
    delays = [0, 0, 0];
    delayMs = 0;
  }
  function ask(): void {
    askedAtMs = performance.now();
    if (stop) return;
    lookedAtMs = askedAtMs;
    stop = every(LOOK_MS, look);
  }
  return {
    delayMs: () => {
      ask();
      return delayMs;
    },
    hasStalled: () => {
      ask();
      // Requests that waited during a stall are read before the next look.
      lateness();
      return performance.now() - stalledAtMs < CAUTION_MS;
    },
    stop: rest,
  };
}

/** Refuses early and cheaply instead of queueing without bound. */
export function createShedder(metrics: Metrics) {
  const eventLoop = measureEventLoop();
  const shed = requestsShed({ metrics });
  const refuse = (priority: Priority, detail: string) => {
    shed.inc({ priority });
    throw new DomainError('overloaded', detail);
  };
  const held = new Map<string, number>();
  return {
    /** Throws `overloaded` while the event loop is too late for requests of this kind. Needs to know nothing else. */
    refuseWhenLate: (priority: Priority): void => {
      if (eventLoop.delayMs() >= CAPS[priority].lagMs)
        refuse(priority, 'The service is too busy for requests of this kind.');
    },
    /** True in the second after the event loop stood for half a second or more. */
    hasStalled: eventLoop.hasStalled,
    /** Takes a place, and one of the owner's share. The returned function gives both back. Throws `overloaded`. */
    enter: (priority: Priority, owner?: Owner): (() => void) => {
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
    stop: eventLoop.stop,
  };
}

/** A name whose count is 0 takes no memory. */
function add(counts: Map<string, number>, name: string, change: number): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
