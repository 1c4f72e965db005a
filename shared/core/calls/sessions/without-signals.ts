import type { ClientSession } from 'mongoose';
import type { Context } from '../../../platform/context/context.ts';
import { type Signal, signalRows } from '../signals/model.ts';
import { countSignal, type ModelTokens, setModels } from './assign.ts';
import type { Session } from './model.ts';

/**
 * A session as it is without some of its signals. Its bounds and its state stay. A model whose first signal is among them is
 * counted anew from the signals that are left, which are all there: no signal is purged before one that was earlier.
 */
export async function withoutSignals(
  ctx: Context,
  session: Session,
  voided: readonly Signal[],
  transaction: ClientSession,
): Promise<Session> {
  const first = new Map(session.model_tokens.map(({ model, first_at }) => [model, first_at.getTime()]));
  const lost = voided.filter(({ model, ts }) => first.get(model ?? '') === ts.getTime());
  const anew = new Set(lost.flatMap(({ model }) => model ?? []));
  const left = await countModels(ctx, session, { anew, voided }, transaction);
  const after = structuredClone(session);
  for (const signal of voided) countSignal(after, signal, -1);
  const kept = after.model_tokens.filter(({ model }) => !anew.has(model));
  for (const entry of kept) entry.tokens -= tokensOf(entry.model, voided);
  setModels(after, [...kept, ...left]);
  return after;
}

function tokensOf(model: string, signals: readonly Signal[]): number {
  const own = signals.filter((signal) => signal.model === model);
  return own.reduce((sum, { tokens_in, tokens_out }) => sum + tokens_in + tokens_out, 0);
}

/** Some models of a session, counted from its signals without those that are voided now or were before. */
async function countModels(
  ctx: Context,
  { _id: session_id, org_id }: Session,
  { anew, voided }: { anew: ReadonlySet<string>; voided: readonly Signal[] },
  transaction: ClientSession,
): Promise<ModelTokens[]> {
  if (anew.size === 0) return [];
  const now = voided.map(({ _id }) => _id);
  const tokens = { $sum: { $add: ['$tokens_in', '$tokens_out'] } };
  const models = await signalRows(ctx)
    .aggregate<{ _id: string; tokens: number; first_at: Date }>(
      [
        { $match: { session_id, org_id, model: { $in: [...anew] }, voided: null, _id: { $nin: now } } },
        { $group: { _id: '$model', tokens, first_at: { $min: '$ts' } } },
      ],
      { session: transaction },
    )
    .toArray();
  return models.map(({ _id: model, ...counted }) => ({ model, ...counted }));
}
