import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Context } from '../../../platform/context/context.ts';
import { perContext } from '../../../platform/context/per-context.ts';
import { sendScript, unavailable } from '../../../platform/context/send-script.ts';
import { type AccountKeys, slotName } from '../../../platform/redis/keys.ts';
import { type MeterReply, meterScript, rebuilding } from './call-meter.ts';
import { RECORD_KEPT_S } from './idempotency.ts';
import { encodedPlansOf } from './plans.ts';
import { noteRedisTime, scriptNow } from './redis-time.ts';

const script = meterScript('consume');
const CODES = [
  'spent',
  'replay',
  'bucket',
  'month',
  'empty',
  'reused',
  'token',
  'unsigned',
  'full',
  'late',
] as const;
const replyOfOne = z.tuple([z.enum([...CODES, 'paused', 'failed'])], z.string().nullable());
const replyOfAll = z.tuple([z.int()], replyOfOne);

export type SpendReply = MeterReply<(typeof CODES)[number]>;

export interface SpendCall {
  keys: AccountKeys;
  /** The key of its idempotency record. */
  record: string;
  /** In the script's order, which says what they are. */
  args: readonly (string | number)[];
}

/** The spends that go to Redis at the end of this turn of the event loop, and the replies to them. */
interface Batch {
  calls: SpendCall[];
  replies: Promise<z.infer<typeof replyOfOne>[]>;
}

/** By the slot in which its script runs. */
const batchesOf = perContext(() => new Map<string | number, Batch>());

/** The most that one script call decides: some 2 ms of Redis. */
const MOST = 64;

/**
 * Lets the script decide about a spend, together with the others of this turn of the event loop: in a cluster, where a
 * script stays within one slot, with those of its shard. Throws `rebuilding`, and as `sendScript`.
 */
export async function callConsume(ctx: Context, call: SpendCall): Promise<SpendReply> {
  const batch = batchFor(ctx, slotName(ctx.redis.meter, call.keys.shard));
  const place = batch.calls.push(call) - 1;
  const [code, ...values] = (await batch.replies)[place] ?? ['failed' as const];
  if (code === 'paused') throw rebuilding();
  if (code !== 'failed') return { code, values };
  ctx.log.warn({ reason: values[0] }, 'redis refused a spend');
  throw unavailable();
}

function batchFor(ctx: Context, slot: string | number): Batch {
  const batches = batchesOf(ctx);
  const open = batches.get(slot);
  if (open && open.calls.length < MOST) return open;
  const calls: SpendCall[] = [];
  const replies = setImmediate().then(() => {
    // Nothing joins what is being sent.
    if (batches.get(slot) === batch) batches.delete(slot);
    return send(ctx, calls);
  });
  const batch = { calls, replies };
  batches.set(slot, batch);
  return batch;
}

async function send(ctx: Context, calls: readonly SpendCall[]): Promise<z.infer<typeof replyOfOne>[]> {
  const keys = calls.flatMap(({ keys: { epoch, account, stream }, record }) => [
    epoch,
    account,
    record,
    stream,
  ]);
  const limits = [RECORD_KEPT_S, ctx.config.ledgerStreamEntriesPerShard];
  const args = [scriptNow(ctx), encodedPlansOf(ctx), ...limits, ...calls.flatMap((call) => call.args)];
  const [redisMs, ...replies] = replyOfAll.parse(await sendScript(ctx, script, keys, args));
  noteRedisTime(ctx, calls[0]?.keys.shard ?? 0, redisMs);
  return replies;
}
