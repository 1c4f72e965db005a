import { z } from 'zod';
import type { Context } from '../../platform/context/context.ts';
import { accountKeys } from '../../platform/redis/keys.ts';
import { runScript } from '../../platform/redis/script.ts';
import type { CreditAccount, DeviceToken } from '../model.ts';
import { type AccountState, identityFields, stateFields } from './account-state.ts';
import { meterScript } from './call-meter.ts';

const script = meterScript('restore-account');

export interface Restoration {
  /** Put in place of none or an earlier one, and by a rebuild of any. Null: only plan and devices are put right. */
  state: AccountState | null;
  tokens: readonly DeviceToken[];
  /** The rebuild that holds the shard, or '' for a shard that is shut. */
  holder: string;
}

const reply = z.enum(['ok', 'missing', 'opened']);

/**
 * Puts an account back into a Redis that has lost it. Returns `missing` when Redis has none and no state was given: then
 * nothing was written. Returns `opened` when its shard was opened meanwhile.
 */
export async function restoreAccount(
  ctx: Context,
  account: CreditAccount,
  { state, tokens, holder }: Restoration,
): Promise<z.infer<typeof reply>> {
  const { epoch, account: key } = accountKeys(account._id);
  const fields = [...identityFields(account), ...(state ? stateFields(state) : [])];
  const devices = tokens.flatMap((token) => [
    token.token_id,
    token._id,
    token.revoked_at === null ? token.token_hmac : '',
  ]);
  const seq = holder === '' ? state?.seq : 'force';
  const args = [holder, seq ?? '', fields.length, ...fields, ...devices];
  return reply.parse(await runScript(ctx.redis.producer, script, [epoch, key], args));
}
