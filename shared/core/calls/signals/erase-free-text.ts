import { batches } from '../../../platform/basics/in-batches.ts';
import type { Context } from '../../../platform/context/context.ts';
import { withoutErased } from '../../../platform/mongo/fields.ts';
import { type Signal, signalRows } from './model.ts';

/** Rows of one update. */
const BATCH_ROWS = 500;

/** Takes away a client's own words, and the key that is made of one. */
const ERASE = withoutErased(signalRows.fields);

/** A signal without what a client wrote in its own words. Pure. */
export function withoutFreeText<Draft extends Omit<Signal, 'session_id'>>(signal: Draft): Draft {
  const { metadata: _metadata, client_session: _client, error, intervention, ...counted } = signal;
  return {
    ...counted,
    ...(error ? { error: { code: error.code } } : {}),
    ...(intervention ? { intervention: withoutReason(intervention) } : {}),
  } as Draft;
}

function withoutReason({ reason: _reason, ...kept }: NonNullable<Signal['intervention']>) {
  return kept;
}

/**
 * Erases what a client wrote into the signals of a session in its own words: metadata, the text of an error, the reason
 * of an intervention. The counts stay. One pass; repeat it after an interruption. Returns how many signals it changed.
 */
export async function eraseFreeText(
  ctx: Context,
  { _id: session_id, org_id }: { _id: string; org_id: string },
): Promise<number> {
  const holdsSome = { $or: Object.keys(ERASE.$unset).map((field) => ({ [field]: { $exists: true } })) };
  const holding = signalRows(ctx)
    .find({ session_id, org_id, ...holdsSome }, { batchSize: BATCH_ROWS })
    .project<{ _id: string }>({ _id: 1 });
  let erased = 0;
  for await (const rows of batches(holding, BATCH_ROWS)) {
    const named = { _id: { $in: rows.map(({ _id }) => _id) }, org_id };
    erased += (await signalRows(ctx).updateMany(named, ERASE)).modifiedCount;
  }
  return erased;
}
