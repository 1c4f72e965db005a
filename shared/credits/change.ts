import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { accountKeys } from '../platform/redis/keys.ts';
import { loadScript } from '../platform/redis/script.ts';
import { callMeter } from './call-meter.ts';
import { ANSWER_KEPT_MS } from './consume.ts';
import { noteRedisTime, scriptNow } from './redis-time.ts';

const script = loadScript(new URL('state.lua', import.meta.url), new URL('change.lua', import.meta.url));

export interface Change {
  accountId: string;
  /** Hash of the idempotency key, and of what was asked for; empty when repeating it is harmless by itself. */
  idk: string;
  fingerprint: string;
  /** As `change.lua` takes them. */
  operation: readonly (string | number)[];
}

/**
 * Changes credits other than by a spend. Returns the answer as JSON text (`''` without idempotency key) and whether
 * anything changed. Throws `rebuilding`, `not_found`, `idempotency_key_reused`, `conflict`, `store_unavailable`,
 * `outcome_unknown`.
 */
export async function changeCredits(
  ctx: Context,
  { accountId, idk, fingerprint, operation }: Change,
): Promise<{ answer: string; outcome: 'done' | 'replay' | 'none' }> {
  const keys = accountKeys(accountId);
  const [code, redisMs, answer = ''] = (await callMeter(
    ctx,
    script,
    [keys.gate, keys.account, keys.answer(idk), keys.outbox],
    [scriptNow(ctx), idk, fingerprint, ANSWER_KEPT_MS, ...operation],
  )) as [string, number, string?];
  noteRedisTime(ctx, keys.shard, redisMs);
  switch (code) {
    case 'done':
    case 'replay':
    case 'none':
      return { answer, outcome: code };
    case 'gate':
      throw new DomainError('rebuilding', 'Credits are being checked against the ledger. Try again.');
    case 'missing':
      throw new DomainError('not_found', 'This member has no account yet.');
    case 'reused':
      throw new DomainError('idempotency_key_reused', 'This Idempotency-Key was used for something else.');
    case 'lots':
      throw new DomainError('conflict', 'This account holds 100 lots of credits; let some be spent first.');
    default:
      throw new Error(`The change script answered ${code}`);
  }
}
