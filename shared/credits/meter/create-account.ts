import type { Context } from '../../platform/context/context.ts';
import type { CreditAccount } from '../model.ts';
import { emptyState, identityFields, stateFields } from './account-state.ts';
import { callMeter, meterScript } from './call-meter.ts';

const script = meterScript('create-account');

/** Creates the empty record of an account. Nothing changes when there is one. Throws `rebuilding`, and as `sendScript`. */
export async function createAccount(ctx: Context, row: CreditAccount): Promise<void> {
  const args = [...identityFields(row), ...stateFields(emptyState())];
  await callMeter(ctx, { script, accountId: row._id, args, codes: ['ok'] });
}
