import { randomInt } from 'node:crypto';

/**
 * How many rows one hot counter is spread over, so that processes that add to it at the same time rarely write the same
 * row: its value is their sum. Raising it needs no migration; lowering it does.
 */
export const COUNTER_SHARDS = 8;

export const ALL_COUNTER_SHARDS: readonly number[] = Array.from({ length: COUNTER_SHARDS }, (_, n) => n);

let ownShard = randomInt(COUNTER_SHARDS);

/** The shard of this process: its transactions follow each other, and mostly meet no other process there. */
export function currentShard(): number {
  return ownShard;
}

/** The shard in which this process writes beside the recording of signals: another one, so that they never meet. */
export function secondShard(): number {
  return (ownShard + COUNTER_SHARDS / 2) % COUNTER_SHARDS;
}

/** A third one, for what writes much and is often under way. */
export function thirdShard(): number {
  return (ownShard + COUNTER_SHARDS / 4) % COUNTER_SHARDS;
}

/** Moves this process to another shard, after a conflict that may have been another process in the same one. */
export function moveToOtherShard(): void {
  ownShard = randomInt(COUNTER_SHARDS);
}
