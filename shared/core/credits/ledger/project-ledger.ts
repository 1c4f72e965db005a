import { within } from '../../../platform/basics/within.ts';
import type { Context } from '../../../platform/context/context.ts';
import { boundedCache } from '../../../platform/context/per-context.ts';
import { readShardStates } from '../meter/shards.ts';
import { deviceTokenRows } from '../model.ts';
import { NEW_FENCE, readFences } from './fence.ts';
import { allocate, deleteEntries, readStreams } from './stream.ts';
import { type ShardBatch, type Written, writeBatches } from './write-batches.ts';

export interface Round {
  moved: number;
  /** Shards with nothing left to move. */
  drained: ReadonlySet<number>;
  /** By shard, the stream id up to which all is in the ledger now. */
  reached: ReadonlyMap<number, string>;
  /** Shards that are stalled, and why: entries that were not moved stay in their streams. */
  stalled: ReadonlyMap<number, Error>;
}

export interface RoundOptions {
  /** By shard, the stream id after which to begin. */
  after?: ReadonlyMap<number, string>;
  /** True for shards that are about to be opened: their data is not yet the one that the ledger was opened for. */
  beforeOpening?: boolean;
}

/** At most 64 rows by primary key. */
const FENCES_MS = 5_000;
/** Above the deadline of a transaction. A round that was given up and commits all the same is fenced like another one's. */
const ROUND_MS = 17_000;

/**
 * Moves the entries of these shards' streams into the ledger, exactly once, but at most one transaction's worth. When two
 * processes move the same entries at the same time, one of them moves nothing. Throws a store error when it takes so long
 * that its connection must be dark.
 */
export function projectRound(
  ctx: Context,
  shards: readonly number[],
  options: RoundOptions = {},
): Promise<Round> {
  return within(ROUND_MS, 'A round of the projector', moveEntries(ctx, shards, options));
}

async function moveEntries(ctx: Context, shards: readonly number[], options: RoundOptions): Promise<Round> {
  const states = await readShardStates(ctx, shards);
  const { batches, stalled: unread, unopened } = await readBatches(ctx, allocate(states), options);
  const filled = batches.filter(({ entries }) => entries.length > 0);
  const written = await writeBatches(ctx, filled);
  const moved = await deleteMoved(ctx, written);
  if (moved > 0) await noteDevices(ctx, written.batches);
  const answered = new Set(states.map(({ shard }) => shard));
  const silent = shards.filter((shard) => !answered.has(shard));
  const stalled = new Map([
    ...silent.map((shard) => [shard, new Error(NO_ANSWER)] as const),
    ...unread,
    ...written.stalled,
  ]);
  const left = new Set([...filled.map(({ shard }) => shard), ...stalled.keys(), ...unopened]);
  return {
    moved,
    drained: new Set(shards.filter((shard) => !left.has(shard))),
    reached: new Map(written.batches.map(({ shard, entries }) => [shard, entries.at(-1)?.streamId ?? '-'])),
    stalled,
  };
}

const NO_ANSWER = 'The Redis that holds the shard does not answer';
const BOUND_ELSEWHERE =
  'The ledger was opened for the data of another Redis, or for other data of this one (docs/credits.md)';

async function readBatches(
  ctx: Context,
  shares: ReadonlyMap<number, number>,
  { after, beforeOpening = false }: RoundOptions,
): Promise<{ batches: ShardBatch[]; stalled: Map<number, Error>; unopened: Set<number> }> {
  const unopened = new Set<number>();
  if (shares.size === 0) return { batches: [], stalled: new Map(), unopened };
  const fences = await within(FENCES_MS, 'Reading fences', readFences(ctx, [...shares.keys()]));
  const stalled = new Map<number, Error>();
  const ranges = [...shares].map(([shard, most]) => ({ shard, after: after?.get(shard), most }));
  const batches: ShardBatch[] = [];
  for (const [shard, { entries, problem, identity, isOpen }] of await readStreams(ctx, ranges)) {
    const fence = fences.get(shard) ?? NEW_FENCE;
    const isBound = beforeOpening || identity === fence.epoch;
    // A shard that is not open is no trouble here: its opening binds the ledger to its data.
    if (!isBound && !isOpen) unopened.add(shard);
    if (!isBound && isOpen) stalled.set(shard, new Error(BOUND_ELSEWHERE));
    if (isBound && problem) stalled.set(shard, problem);
    if (isBound) batches.push({ shard, fence, entries });
  }
  return { batches, stalled, unopened };
}

/** Takes the entries that the ledger has out of the streams. Returns how many that were. */
async function deleteMoved(ctx: Context, { batches, waiting }: Written): Promise<number> {
  const ids = batches.map(({ shard, entries }) => {
    const gone = entries.filter((entry) => !waiting.has(entry)).map(({ streamId }) => streamId);
    return [shard, gone] as const;
  });
  const moved = new Map(ids.filter(([, gone]) => gone.length > 0));
  if (moved.size > 0) await deleteEntries(ctx, moved);
  return [...moved.values()].reduce((sum, { length }) => sum + length, 0);
}

/** Notes when devices last spent. It is a courtesy: that it fails never stops the ledger. */
async function noteDevices(ctx: Context, batches: readonly ShardBatch[]): Promise<void> {
  const rows = batches.flatMap(({ entries }) => entries.flatMap((entry) => entry.rows));
  const seen = rows.flatMap(({ device_id, created_at }) =>
    device_id === undefined ? [] : [{ device_id, at_ms: created_at * 1_000 }],
  );
  await touchDevices(ctx, seen).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'when devices were last seen was not kept'),
  );
}

/** A device is written at most once in this time. */
const RESOLUTION_MS = 60_000;
const lastWritten = boundedCache<string, number>({ max: 100_000 });

/**
 * Records when devices were last seen: `last_seen_at` only ever moves forward, and for each device at most once per
 * minute. Repeating it changes nothing.
 */
export async function touchDevices(
  ctx: Context,
  sightings: readonly { device_id: string; at_ms: number }[],
): Promise<void> {
  const written = lastWritten(ctx);
  const due = new Map<string, number>();
  for (const { device_id, at_ms } of sightings) {
    const last = written.get(device_id);
    if (last !== undefined && at_ms - last < RESOLUTION_MS) continue;
    due.set(device_id, Math.max(at_ms, due.get(device_id) ?? 0));
  }
  if (due.size === 0) return;
  await deviceTokenRows(ctx).bulkWrite(
    [...due].map(([device_id, at_ms]) => ({
      updateOne: { filter: { _id: device_id }, update: { $max: { last_seen_at: new Date(at_ms) } } },
    })),
    { ordered: false },
  );
  for (const [device_id, at_ms] of due) written.set(device_id, at_ms);
}

/**
 * Moves all entries of the streams of shards which are about to be opened, while nothing is added to them. Returns the
 * stalled shards, and why they are.
 */
export async function drainStreams(ctx: Context, shards: readonly number[]): Promise<Map<number, Error>> {
  const stalled = new Map<number, Error>();
  const after = new Map<number, string>();
  let left = shards;
  while (left.length > 0) {
    const round = await projectRound(ctx, left, { after, beforeOpening: true });
    for (const [shard, problem] of round.stalled) stalled.set(shard, problem);
    for (const [shard, streamId] of round.reached) after.set(shard, streamId);
    left = left.filter((shard) => !round.drained.has(shard) && !stalled.has(shard));
  }
  return stalled;
}
