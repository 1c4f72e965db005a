import { z } from 'zod';
import { DomainError } from '../../platform/basics/errors.ts';
import type { Context } from '../../platform/context/context.ts';
import { sendScript } from '../../platform/context/send-script.ts';
import { IDENTITY, loadScript, type Script } from '../../platform/redis/script.ts';
import { noteRedisTime } from './redis-time.ts';

/** The command `<name>.lua` of this folder behind the preludes that it begins with. */
export function meterScript(...names: readonly string[]): Script {
  const own = ['prelude', ...names].map((name) => new URL(`${name}.lua`, import.meta.url));
  return loadScript(IDENTITY, ...own);
}

/** What a script of the meter answered: a code, and what the code says more. */
export interface MeterReply<Code extends string> {
  code: Code;
  values: (string | null)[];
}

/** The shape of a reply: code, Redis' time in ms, values. `shut` is a code of every script. */
type ReplyShape<Code extends string> = z.ZodType<[Code | 'shut', number, ...(string | null)[]]>;

/** The shape of the replies with these codes. */
export function replyOf<const Code extends string>(...codes: readonly Code[]): ReplyShape<Code> {
  return z.tuple([z.enum([...codes, 'shut']), z.int()], z.string().nullable()) as unknown as ReplyShape<Code>;
}

/**
 * Calls a script of the meter. Throws `rebuilding` when the shard is not open, so that no caller maps it again, and as
 * `sendScript`.
 */
export async function callMeter<Code extends string>(
  ctx: Context,
  call: {
    script: Script;
    shard: number;
    keys: readonly string[];
    args: readonly (string | number)[];
    reply: ReplyShape<Code>;
  },
): Promise<MeterReply<Code>> {
  const answer = await sendScript(ctx, call.script, call.keys, call.args);
  const [code, redisMs, ...values] = call.reply.parse(answer);
  noteRedisTime(ctx, call.shard, redisMs);
  if (code === 'shut') throw rebuilding();
  return { code, values };
}

/** The error of a shard that is not open. */
export function rebuilding(): DomainError {
  return new DomainError('rebuilding', 'Credits are being checked against the ledger. Try again.');
}

/** The error of an account that was made and is not in Redis: a lost one, never a new one. */
export function notInRedis(): DomainError {
  return new DomainError('rebuilding', 'This account is not in Redis.');
}
