import { within } from '../../platform/basics/within.ts';
import type { Context } from '../../platform/context/context.ts';
import { lookAtShards } from '../meter/look-at-shards.ts';
import { NEW_FENCE, readFences } from './fence.ts';
import { rememberDevices } from './remember-devices.ts';
import { deleteEntries, readStreams, shareOut } from './stream.ts';
import { type ShardBatch, type Written, writeBatches } from './write-batches.ts';

/** What one round came to. */
export interface Round {
  /** Entries that were moved. */
  moved: number;
  /** Shards of which nothing was left to move. */
  drained: ReadonlySet<number>;
  /** By shard, the stream id up to which all is in the ledger now. */
  reached: ReadonlyMap<number, string>;
  /** Shards that stand still, and why: what was not moved stays in their streams. */
  stuck: ReadonlyMap<number, Error>;
}

export interface RoundOptions {
  /** By shard, the stream id after which to begin. */
  after?: ReadonlyMap<number, string>;
  /** Of a shard that is about to be opened: also from data that the ledger was not opened for. */
  beforeOpening?: boolean;
}

/** At most 64 rows by primary key. */
const FENCES_MS = 5_000;
/** Above the deadline of a transaction. A round that was given up and commits all the same is fenced like another one's. */
const ROUND_MS = 17_000;

/**
 * Moves what these shards' streams hold into the ledger, exactly once, but at most one transaction's worth of entries. Of
 * two that move the same at the same time one moves nothing. Throws a store error when it takes so long that its connection
 * must be dark.
 */
export function projectRound(
  ctx: Context,
  shards: readonly number[],
  options: RoundOptions = {},
): Promise<Round> {
  return within(ROUND_MS, 'A round of the projector', moveEntries(ctx, shards, options));
}

async function moveEntries(ctx: Context, shards: readonly number[], options: RoundOptions): Promise<Round> {
  const looks = await lookAtShards(ctx, shards);
  const seen = new Set(looks.map(({ shard }) => shard));
  const unseen = shards.filter((shard) => !seen.has(shard));
  const shares = shareOut(looks);
  const { batches, stuck: unread, unopened } = await readBatches(ctx, shares, options);
  const written = await writeBatches(
    ctx,
    batches.filter(({ entries }) => entries.length > 0),
  );
  const moved = await deleteMoved(ctx, written);
  if (moved > 0) await rememberDevices(ctx, written.batches);
  const silent = unseen.map((shard) => [shard, new Error(NO_ANSWER)] as const);
  const stuck = new Map([...silent, ...unread, ...written.stuck]);
  const filled = new Set(batches.flatMap(({ shard, entries }) => (entries.length > 0 ? [shard] : [])));
  const isLeft = (shard: number) => filled.has(shard) || stuck.has(shard) || unopened.has(shard);
  return {
    moved,
    drained: new Set(shards.filter((shard) => !isLeft(shard))),
    reached: new Map(written.batches.map(({ shard, entries }) => [shard, entries.at(-1)?.streamId ?? '-'])),
    stuck,
  };
}

/**
 * Moves all that the streams of shards which are about to be opened hold, while nothing is added to them. Returns the
 * shards of which it could not, and why.
 */
export async function drainStreams(ctx: Context, shards: readonly number[]): Promise<Map<number, Error>> {
  const stuck = new Map<number, Error>();
  const after = new Map<number, string>();
  let left = shards;
  while (left.length > 0) {
    const round = await projectRound(ctx, left, { after, beforeOpening: true });
    for (const [shard, problem] of round.stuck) stuck.set(shard, problem);
    for (const [shard, streamId] of round.reached) after.set(shard, streamId);
    left = left.filter((shard) => !round.drained.has(shard) && !stuck.has(shard));
  }
  return stuck;
}

const NO_ANSWER = 'The Redis that holds the shard does not answer';
const BOUND_ELSEWHERE =
  'The ledger was opened for the data of another Redis, or for other data of this one (docs/credits.md)';

async function readBatches(
  ctx: Context,
  shares: ReadonlyMap<number, number>,
  { after, beforeOpening = false }: RoundOptions,
): Promise<{ batches: ShardBatch[]; stuck: Map<number, Error>; unopened: Set<number> }> {
  const unopened = new Set<number>();
  if (shares.size === 0) return { batches: [], stuck: new Map(), unopened };
  const fences = await within(FENCES_MS, 'Reading fences', readFences(ctx, [...shares.keys()]));
  const stuck = new Map<number, Error>();
  const ranges = [...shares].map(([shard, most]) => ({ shard, after: after?.get(shard), most }));
  const batches: ShardBatch[] = [];
  for (const [shard, { entries, problem, identity, isOpen }] of await readStreams(ctx, ranges)) {
    const fence = fences.get(shard) ?? NEW_FENCE;
    const isBound = beforeOpening || identity === fence.epoch;
    // A shard that is not open is no trouble here: whoever opens it binds the ledger to its data.
    if (!isBound && !isOpen) unopened.add(shard);
    if (!isBound && isOpen) stuck.set(shard, new Error(BOUND_ELSEWHERE));
    if (isBound && problem) stuck.set(shard, problem);
    if (isBound) batches.push({ shard, fence, entries });
  }
  return { batches, stuck, unopened };
}

/** Takes out of the streams what the ledger has. Returns how many entries that were. */
async function deleteMoved(ctx: Context, { batches, waiting }: Written): Promise<number> {
  const ids = batches.map(({ shard, entries }) => {
    const gone = entries.filter((entry) => !waiting.has(entry)).map(({ streamId }) => streamId);
    return [shard, gone] as const;
  });
  const moved = new Map(ids.filter(([, gone]) => gone.length > 0));
  if (moved.size > 0) await deleteEntries(ctx, moved);
  return [...moved.values()].reduce((sum, { length }) => sum + length, 0);
}
