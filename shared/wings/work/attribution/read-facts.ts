import type { ClientSession } from 'mongoose';
import type { Context } from '../../../platform/context/context.ts';
import { boundedCache } from '../../../platform/context/per-context.ts';
import { inOrder, type Told } from './decide-work.ts';
import { boundaryRows, contextRows } from './model.ts';

/** The contexts and boundaries of an organization that a process knows, as of one count of its changes. */
interface Known {
  /** How often contexts or boundaries were recorded (`organizations/versions.ts`). */
  contexts: number;
  timelines: Map<string, readonly Told[]>;
  boundaries: Map<string, readonly number[]>;
  /** Pairs of session and work that have a row. */
  pairs: Set<string>;
}

/** Entries of a map, after which it begins anew. */
const MOST_KNOWN = 20_000;

const cache = boundedCache<string, Known>({ max: 1_000 });

/** Returns the facts that this process knows at this count, and forgets those of another one. */
function knownAt(ctx: Context, orgId: string, contexts: number): Known {
  const before = cache(ctx).get(orgId);
  if (before?.contexts === contexts) return before;
  const known = { contexts, timelines: new Map(), boundaries: new Map(), pairs: new Set<string>() };
  cache(ctx).set(orgId, known);
  return known;
}

/** A question about the facts of an organization, at the count of changes by which the transaction decides. */
export interface Asked {
  orgId: string;
  contexts: number;
}

/** The facts by which calls are decided, by the keys of client sessions and branches. */
export interface Facts {
  orgId: string;
  /** Timelines `inOrder`. */
  timelines: (sessions: ReadonlySet<string>) => Promise<ReadonlyMap<string, readonly Told[]>>;
  /** Boundaries, epoch ms ascending. */
  boundaries: (branches: ReadonlySet<string>) => Promise<ReadonlyMap<string, readonly number[]>>;
}

/**
 * The facts of the transaction's snapshot, each kind by one read of those that this process does not know; mostly by none. An
 * organization that never had any is not asked.
 */
export function storedFacts(ctx: Context, asked: Asked, transaction: ClientSession): Facts {
  const { orgId, contexts } = asked;
  if (contexts === 0) return { orgId, timelines: async () => new Map(), boundaries: async () => new Map() };
  const known = knownAt(ctx, orgId, contexts);
  const isCurrent = () => known.contexts === contexts;
  return {
    orgId,
    timelines: (sessions) =>
      readThrough({ values: known.timelines, isCurrent }, sessions, async (keys) => {
        const rows = await contextRows(ctx)
          .find(
            { client_session: { $in: keys } },
            { session: transaction, projection: { client_session: 1, ts: 1, user_id: 1, place: 1, task: 1 } },
          )
          .toArray();
        const bySession = Map.groupBy(rows, ({ client_session }) => client_session);
        return (key) => inOrder(bySession.get(key) ?? []);
      }),
    boundaries: (branches) =>
      readThrough({ values: known.boundaries, isCurrent }, branches, async (keys) => {
        const rows = await boundaryRows(ctx)
          .find({ branch: { $in: keys } }, { session: transaction, projection: { branch: 1, at: 1 } })
          .toArray();
        const byBranch = Map.groupBy(rows, ({ branch }) => branch);
        return (key) => ascending((byBranch.get(key) ?? []).map(({ at }) => at.getTime()));
      }),
  };
}

/** The same facts with new contexts and boundaries, by their keys, as they are once their transaction has committed. */
export function withNew(
  facts: Facts,
  fresh: { told: ReadonlyMap<string, readonly Told[]>; at: ReadonlyMap<string, readonly number[]> },
): Facts {
  const add = async <Value>(
    stored: Promise<ReadonlyMap<string, readonly Value[]>>,
    own: ReadonlyMap<string, readonly Value[]>,
    sort: (values: readonly Value[]) => readonly Value[],
  ) => {
    const all = new Map(await stored);
    for (const [key, values] of own) all.set(key, sort([...(all.get(key) ?? []), ...values]));
    return all;
  };
  return {
    orgId: facts.orgId,
    timelines: (sessions) => add<Told>(facts.timelines(sessions), fresh.told, inOrder),
    boundaries: (branches) => add<number>(facts.boundaries(branches), fresh.at, ascending),
  };
}

function ascending(times: readonly number[]): number[] {
  return times.toSorted((a, b) => a - b);
}

/** The values of keys, from what is known at a count and else by one read, which is kept while the count is the same. */
async function readThrough<Value>(
  { values, isCurrent }: { values: Map<string, Value>; isCurrent: () => boolean },
  keys: ReadonlySet<string>,
  read: (missing: string[]) => Promise<(key: string) => Value>,
): Promise<ReadonlyMap<string, Value>> {
  const missing = [...keys].filter((key) => !values.has(key));
  if (missing.length === 0) return values;
  const found = new Map(
    [...keys].flatMap((key) => (values.has(key) ? [[key, values.get(key) as Value]] : [])),
  );
  const valueFor = await read(missing);
  for (const key of missing) found.set(key, valueFor(key));
  if (values.size + missing.length > MOST_KNOWN) values.clear();
  if (isCurrent()) for (const key of missing) values.set(key, found.get(key) as Value);
  return found;
}

/** Returns whether this process knows that a session has a row for a work. */
export function knowsPair(ctx: Context, { orgId, contexts }: Asked, pair: string): boolean {
  return knownAt(ctx, orgId, contexts).pairs.has(pair);
}

/** Remembers pairs of session and work whose rows are committed. */
export function rememberPairs(ctx: Context, { orgId, contexts }: Asked, pairs: readonly string[]): void {
  const known = knownAt(ctx, orgId, contexts);
  if (known.pairs.size + pairs.length > MOST_KNOWN) known.pairs.clear();
  for (const pair of pairs) known.pairs.add(pair);
}

/** The facts that a committed change of contexts and boundaries has changed, by keys. */
export interface Changed {
  sessions: Iterable<string>;
  branches: Iterable<string>;
  pairs: Iterable<string>;
}

/** Forgets what a change of this process has changed, and keeps the rest, which is as it was. */
export function forgetChanged(ctx: Context, { orgId, contexts }: Asked, changed: Changed): void {
  const known = cache(ctx).get(orgId);
  if (known?.contexts !== contexts - 1) return;
  for (const key of changed.sessions) known.timelines.delete(key);
  for (const key of changed.branches) known.boundaries.delete(key);
  for (const pair of changed.pairs) known.pairs.delete(pair);
  known.contexts = contexts;
}
