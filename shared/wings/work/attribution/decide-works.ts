import { keptName, type Name, type Place } from '../../../core/calls/signals/place.ts';
import type { Context } from '../../../platform/context/context.ts';
import { updateRow, type Write } from '../../../platform/mongo/writes.ts';
import { type AttributedCall, decideParts, type Parts, stretchAt } from './decide-work.ts';
import { pairOf, sessionWorkRows, type WorkRow, workRows } from './model.ts';
import { branchKey, workId } from './names.ts';
import type { Facts } from './read-facts.ts';

/** A call whose work is to be decided: the key of its client session where it has one. */
export interface UndecidedCall extends AttributedCall {
  _id: string;
  client_session?: string | undefined;
}

/** The works of calls by their keys; a call without one has none. */
export type WorksByCall = ReadonlyMap<string, WorkRow>;

/** Decides the works of calls by these facts: two questions at the most. */
export async function decideWorks(
  ctx: Context,
  facts: Facts,
  calls: readonly UndecidedCall[],
): Promise<WorksByCall> {
  const sessions = new Set(calls.flatMap(({ client_session }) => client_session ?? []));
  const timelines = await facts.timelines(sessions);
  const parts = new Map<string, Parts>();
  for (const call of calls) {
    const decided = decideParts(call, timelines.get(call.client_session ?? '') ?? []);
    if (decided.place || decided.task) parts.set(call._id, decided);
  }
  return stretchWorks(ctx, facts, { calls, parts });
}

/** The works of calls whose parts are decided: each in the stretch of its branch. */
export async function stretchWorks(
  ctx: Context,
  facts: Facts,
  {
    calls,
    parts,
  }: { calls: readonly Pick<UndecidedCall, '_id' | 'ts'>[]; parts: ReadonlyMap<string, Parts> },
): Promise<WorksByCall> {
  const keyOf = memoized(({ repository, branch }: Place) =>
    branch ? branchKey(ctx, facts.orgId, repository, branch.hash) : null,
  );
  const places = [...parts.values()].flatMap(({ place }) => place ?? []);
  const branches = new Set(places.flatMap((place) => keyOf(place) ?? []));
  const boundaries = await facts.boundaries(branches);
  const works = new Map<string, WorkRow>();
  const ids = new Map<string, string>();
  for (const { _id, ts } of calls) {
    const own = parts.get(_id);
    if (!own) continue;
    const key = own.place && keyOf(own.place);
    const since = key ? stretchAt(boundaries.get(key) ?? [], ts.getTime()) : 0;
    const text = JSON.stringify([own.place?.repository, own.place?.branch?.hash, since, own.task?.hash]);
    const id = ids.get(text) ?? workId(ctx, facts.orgId, own, since);
    ids.set(text, id);
    works.set(_id, rowOf(id, facts.orgId, own, { head: key ?? undefined, since }));
  }
  return works;
}

function memoized(keyOf: (place: Place) => string | null): (place: Place) => string | null {
  const known = new Map<string, string | null>();
  return (place) => {
    const text = JSON.stringify([place.repository, place.branch?.hash]);
    const key = known.get(text) ?? keyOf(place);
    known.set(text, key);
    return key;
  };
}

function rowOf(
  _id: string,
  org_id: string,
  { place, task }: Parts,
  { head, since }: { head: string | undefined; since: number },
): WorkRow {
  const { repository, branch } = place ?? {};
  return {
    _id,
    org_id,
    ...(repository === undefined ? {} : { repository }),
    ...(branch ? { branch } : {}),
    ...(head === undefined ? {} : { head }),
    since,
    ...(task ? { task } : {}),
  };
}

export function writeWork({ _id, org_id, branch, task, ...rest }: WorkRow, hashNames: boolean): Write {
  const names = Object.entries({ branch, task }).flatMap(([part, name]) =>
    name ? [[part, keptName(name, hashNames)] as const] : [],
  );
  // A name that was kept as its hash is plain once it is seen anew.
  const isPlain = ({ hash, text }: Name) => text !== hash;
  const plain = Object.fromEntries(names.filter(([, name]) => isPlain(name)));
  const others = Object.fromEntries(names.filter(([, name]) => !isPlain(name)));
  const inserted = { $setOnInsert: { ...rest, ...others } };
  const update = Object.keys(plain).length === 0 ? inserted : { $set: plain, ...inserted };
  return updateRow(workRows, { _id, org_id }, update, { upsert: true });
}

export function writePair(org_id: string, session_id: string, work: string): Write {
  const row = { $setOnInsert: { session_id, work } };
  return updateRow(sessionWorkRows, { _id: pairOf(session_id, work), org_id }, row, { upsert: true });
}
