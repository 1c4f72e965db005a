import { providerOf } from '../pricing/provider-of.ts';
import { UNKNOWN_PROVIDER } from '../pricing/providers.ts';
import type { Signal } from '../signals/model.ts';
import type { Session } from './model.ts';

type CountedSignal = Omit<Signal, 'session_id'>;

/** Adds the counts of a signal to those of its session, or takes them away with the sign -1. In place. */
export function countSignal(session: Session, signal: CountedSignal, sign: 1 | -1 = 1): void {
  session.signal_count += sign;
  session.error_count += signal.error ? sign : 0;
  session.intervention_count += signal.type === 'intervention' ? sign : 0;
  session.tokens_in += sign * signal.tokens_in;
  session.tokens_out += sign * signal.tokens_out;
  session.cost_nusd += sign * (signal.cost_nusd ?? 0);
  session.unpriced_signals += signal.cost_nusd === null ? sign : 0;
}

/** A model of a session, with its tokens and the time of its first signal. */
export type ModelTokens = Session['model_tokens'][number];

/**
 * Puts the models of a session in the order of first use, and names its primary model: the one with most tokens, the first of
 * equals. Signals give the same order however they arrive. In place.
 */
export function setModels(session: Session, models: readonly ModelTokens[]): void {
  session.model_tokens = models.toSorted(
    (a, b) => a.first_at.getTime() - b.first_at.getTime() || (a.model < b.model ? -1 : 1),
  );
  const most = Math.max(...models.map(({ tokens }) => tokens));
  const primary = session.model_tokens.find(({ tokens }) => tokens === most);
  const model = primary?.model ?? 'unknown';
  if (model === session.model) return;
  session.model = model;
  session.price_provider = primary ? providerOf(primary, primary.first_at.getTime()) : UNKNOWN_PROVIDER;
}
