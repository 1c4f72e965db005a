import { z } from 'zod';
import type { Context } from '../../platform/context/context.ts';
import { shardKeys } from '../../platform/redis/keys.ts';
import { IDENTITY, loadScript, runScript } from '../../platform/redis/script.ts';
import { dataIdentity, EPOCH_STATE, epochStates } from '../meter/epoch.ts';
import type { ShardLook } from '../meter/look-at-shards.ts';
import { readEntries, type StreamEntry } from './stream-entry.ts';

const script = loadScript(IDENTITY, EPOCH_STATE, new URL('read-stream.lua', import.meta.url));
const reply = z.tuple([epochStates, dataIdentity, z.array(z.tuple([z.string(), z.array(z.string())]))]);

/** Entries of all shards together that one transaction takes. */
const BATCH = 1_000;

/** How many entries of each shard a round takes: the same of all, and what one does not need goes to the others. */
export function shareOut(looks: readonly ShardLook[]): Map<number, number> {
  const ascending = looks.filter(({ length }) => length > 0).sort((one, other) => one.length - other.length);
  const shares = new Map<number, number>();
  let rest = BATCH;
  for (const { shard, length } of ascending) {
    const share = Math.min(length, Math.ceil(rest / (ascending.length - shares.size)));
    shares.set(shard, share);
    rest -= share;
  }
  return shares;
}

export interface StreamRead {
  entries: StreamEntry[];
  /** Why the entry after these cannot be read. */
  problem: Error | null;
  /** Identity of the data that they were read from, and whether the shard is open for it. */
  identity: string;
  isOpen: boolean;
}

/** The oldest entries of a shard, `most` of them, that come after a stream id; up to one that cannot be read. */
export async function readStream(
  ctx: Context,
  shard: number,
  { after, most }: { after: string | undefined; most: number },
): Promise<StreamRead> {
  const { epoch, stream } = shardKeys(shard);
  const from = after === undefined ? '-' : `(${after}`;
  const answer = await runScript(ctx.redis.producer, script, [epoch, stream], [from, most]);
  const [state, identity, found] = reply.parse(answer);
  return { ...readEntries(found), identity, isOpen: state === 'open' };
}
