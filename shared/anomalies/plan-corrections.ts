import type { ClientSession } from 'mongoose';
import { dateAt } from '../platform/basics/clock.ts';
import type { Context } from '../platform/context/context.ts';
import { updateRow, type Write } from '../platform/mongo/writes.ts';
import type { Session } from '../sessions/model.ts';
import { anomalyRows } from './model.ts';

/** The writes that note on the anomalies of a session that signals below their figures were voided. */
export async function planCorrections(
  ctx: Context,
  { _id: session_id, org_id }: Pick<Session, '_id' | 'org_id'>,
  transaction: ClientSession,
): Promise<Write[]> {
  const found = await anomalyRows(ctx).find({ org_id, session_id }, { session: transaction }).toArray();
  const corrected = { $set: { corrected_at: dateAt(ctx.clock.now()) } };
  return found.map(({ _id }) => updateRow(anomalyRows, { _id, org_id }, corrected));
}
