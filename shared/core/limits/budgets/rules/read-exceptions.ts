import type { ClientSession } from 'mongoose';
import type { Context } from '../../../../platform/context/context.ts';
import { type Budget, personOverrideRows } from './model.ts';
import { type Exceptions, exceptionsOf } from './people.ts';

/** The exceptions from a template, as a transaction sees them; of another budget there are none. */
export async function readExceptions(
  ctx: Context,
  budget: Budget,
  transaction?: ClientSession,
): Promise<Exceptions> {
  if (!budget.per) return new Map();
  const options = transaction ? { session: transaction } : {};
  const rows = await personOverrideRows(ctx).find({ budget_id: budget._id }, options).toArray();
  return exceptionsOf(budget, rows);
}
