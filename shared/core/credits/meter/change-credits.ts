import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { untilReplicated } from '../../../platform/context/send-script.ts';
import { accountKeys } from '../../../platform/redis/keys.ts';
import { callMeter, meterScript } from './call-meter.ts';
import { type ChangeOutcome, decodeChangeOutcome, RECORD_KEPT_S } from './idempotency.ts';
import { scriptNow } from './redis-time.ts';

const SCRIPTS = {
  'add-lot': meterScript('change', 'add-lot'),
  refund: meterScript('change', 'refund'),
  'expire-credits': meterScript('change', 'expire-credits'),
  'apply-plan': meterScript('change', 'apply-plan'),
  adjust: meterScript('change', 'adjust'),
};

export interface Change {
  accountId: string;
  command: keyof typeof SCRIPTS;
  /** As the command's script takes them, from `ARGV[5]` on. */
  args: readonly (string | number)[];
  /** Hashes of the idempotency key and of what was asked for; without them, repeating it is harmless by itself. */
  idempotency?: { idk: string; fingerprint: string };
}

/**
 * Changes credits other than by a spend. Returns whether anything changed, and the outcome that belongs to the
 * idempotency key. Throws `rebuilding`, `not_found`, `idempotency_key_reused`, `conflict`, `store_unavailable`,
 * `outcome_unknown`.
 */
export async function changeCredits(
  ctx: Context,
  { accountId, command, args, idempotency = { idk: '', fingerprint: '' } }: Change,
): Promise<{ outcome: ChangeOutcome | null; did: 'done' | 'replay' | 'none' }> {
  const { idk, fingerprint } = idempotency;
  const { code, values } = await callMeter(ctx, {
    script: SCRIPTS[command],
    accountId,
    idk,
    args: [scriptNow(ctx), idk, fingerprint, RECORD_KEPT_S, ...args],
    codes: ['done', 'replay', 'none', 'missing', 'reused', 'lots'],
  });
  switch (code) {
    case 'done':
    case 'replay':
      await untilReplicated(ctx, accountKeys(accountId).replicated);
      return { outcome: values[0] ? decodeChangeOutcome(values[0]) : null, did: code };
    case 'none':
      return { outcome: null, did: code };
    case 'missing':
      throw new DomainError('not_found', 'This member has no account yet.');
    case 'reused':
      throw new DomainError('idempotency_key_reused', 'This Idempotency-Key was used for something else.');
    case 'lots':
      throw new DomainError('conflict', 'This account holds 100 lots of credits; let some be spent first.');
  }
}
