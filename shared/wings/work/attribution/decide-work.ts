import type { Name, Part, Place } from '../../../core/calls/signals/place.ts';
import { DAY_MS } from '../../../platform/basics/interval.ts';

/** How long a context is in force when no later one of its part follows. */
export const IN_FORCE_MS = 35 * DAY_MS;

/** A context as far as it decides: a part that it does not say is absent, one that it ends is null. */
export interface Told {
  /** The larger one wins where times are equal. */
  _id: string;
  ts: Date;
  /** Absent: it applies to every user. */
  user_id?: string;
  place?: Place | null;
  task?: Name | null;
}

/** A call as far as its work depends on it. */
export interface AttributedCall {
  ts: Date;
  user_id: string;
  /** The parts that the call itself says: no context overrules them. */
  own: readonly Part[];
  /** The parts as the call says them, or its telemetry does. */
  place?: Place | undefined;
  task?: Name | undefined;
}

/** The repository, branch and task that a call belongs to; the stretch of the branch is decided apart. */
export interface Parts {
  place?: Place | undefined;
  task?: Name | undefined;
}

/** Contexts in the order in which they hold. */
export function inOrder<Row extends Pick<Told, '_id' | 'ts'>>(contexts: readonly Row[]): Row[] {
  return contexts.toSorted((a, b) => a.ts.getTime() - b.ts.getTime() || (a._id < b._id ? -1 : 1));
}

/**
 * Decides the parts of a call: its own, else those in force in the timeline of its client session (`inOrder`), else those of its
 * telemetry. A part that a context has ended is absent. Pure.
 */
export function decideParts(call: AttributedCall, timeline: readonly Told[]): Parts {
  const inForce = (part: Part) => (call.own.includes(part) ? undefined : findInForce(timeline, part, call));
  const placed = inForce('place');
  const tasked = inForce('task');
  return {
    place: placed ? (placed.place ?? undefined) : call.place,
    task: tasked ? (tasked.task ?? undefined) : call.task,
  };
}

/** The context whose part is in force for a call, also where it ends the part. */
function findInForce(
  timeline: readonly Told[],
  part: Part,
  { ts, user_id }: Pick<AttributedCall, 'ts' | 'user_id'>,
): Told | undefined {
  const last = timeline.findLast(
    (told) =>
      told.ts <= ts && told[part] !== undefined && (told.user_id === undefined || told.user_id === user_id),
  );
  return last && ts.getTime() - last.ts.getTime() <= IN_FORCE_MS ? last : undefined;
}

/** The stretch of a branch that a moment lies in: its last boundary (ascending, epoch ms) at or before `tsMs`, else 0. Pure. */
export function stretchAt(boundaries: readonly number[], tsMs: number): number {
  return boundaries.findLast((at) => at <= tsMs) ?? 0;
}

/** A span of time `[fromMs, untilMs)`, epoch ms. */
export interface Span {
  fromMs: number;
  untilMs: number;
}

/**
 * The calls that new contexts of a timeline (`inOrder`, with the new ones) may move: from the first of them on, until each is
 * followed by one that says the same parts to the same users. Pure.
 */
export function spanOf(timeline: readonly Told[], fresh: readonly Told[]): Span {
  const untilMs = fresh.map((told) => {
    const covers = (next: Told) =>
      next.ts > told.ts &&
      (next.user_id === undefined || next.user_id === told.user_id) &&
      (told.place === undefined || next.place !== undefined) &&
      (told.task === undefined || next.task !== undefined);
    const next = timeline.find(covers)?.ts.getTime() ?? Number.POSITIVE_INFINITY;
    return Math.min(next, told.ts.getTime() + IN_FORCE_MS + 1);
  });
  return { fromMs: Math.min(...fresh.map(({ ts }) => ts.getTime())), untilMs: Math.max(...untilMs) };
}
