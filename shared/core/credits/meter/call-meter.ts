import { z } from 'zod';
import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { sendScript } from '../../../platform/context/send-script.ts';
import { accountKeys } from '../../../platform/redis/keys.ts';
import { IDENTITY, loadScript, type Script } from '../../../platform/redis/script.ts';
import { noteRedisTime } from './redis-time.ts';

/** The command `<name>.lua` of this folder behind the preludes that it begins with. */
export function meterScript(...names: readonly string[]): Script {
  return loadMeterScript(...names.map((name) => new URL(`${name}.lua`, import.meta.url)));
}

/** A command behind the preludes of the meter. */
export function loadMeterScript(...files: readonly URL[]): Script {
  return loadScript(IDENTITY, new URL('prelude.lua', import.meta.url), ...files);
}

export interface MeterReply<Code extends string> {
  code: Code;
  values: (string | null)[];
}

/** Code, Redis' time in ms, values. */
const reply = z.tuple([z.string(), z.int()], z.string().nullable());

/**
 * Calls a script about one account, which answers one of `codes`, with the keys epoch, account, idempotency record of `idk`,
 * ledger stream. Throws `rebuilding` when the shard is not open, so that no caller maps it again, and as `sendScript`.
 */
export async function callMeter<const Code extends string>(
  ctx: Context,
  call: {
    script: Script;
    accountId: string;
    idk?: string;
    args: readonly (string | number)[];
    codes: readonly Code[];
  },
): Promise<MeterReply<Code>> {
  const { epoch, account, record, stream, shard } = accountKeys(call.accountId);
  const keys = [epoch, account, record(call.idk ?? ''), stream];
  const answer = await sendScript(ctx, call.script, keys, call.args);
  const [answered, redisMs, ...values] = reply.parse(answer);
  noteRedisTime(ctx, shard, redisMs);
  if (answered === 'paused') throw rebuilding();
  const code = call.codes.find((each) => each === answered);
  if (code === undefined) throw new Error(`A script answered ${answered}`);
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
