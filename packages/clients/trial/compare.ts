import type { Signal } from '../../../shared/core/calls/signals/model.ts';
import { priceCall } from '../../../shared/core/pricing/price.ts';
import type { ModelCall } from '../models/ledger.ts';
import { PROJECT } from './trial.ts';

/** How what was recorded differs from what the model counted. */
export interface Comparison {
  calls: string;
  tokens: 'exact' | 'WRONG';
  cost: 'exact' | 'reported' | 'unpriced' | 'WRONG';
  errors: string;
  project: 'named' | 'WRONG';
  isRight: boolean;
}

/**
 * Compares the signals of an organization with the calls of its model. `hidesErrors`: the client ends before it reports one.
 * `hidesCache`: it reports no cache counts.
 */
export function compare(
  signals: readonly Signal[],
  served: readonly ModelCall[],
  {
    hidesErrors,
    hidesCache,
    projectId = PROJECT,
  }: { hidesErrors: boolean; hidesCache: boolean; projectId?: string },
): Comparison {
  const calls = signals.filter(({ type, tool_name }) => type === 'call' && tool_name === undefined);
  const counted = calls.filter(({ error }) => error === undefined);
  const answered = served.filter(({ isFailed }) => !isFailed);
  const failures = calls.length - counted.length;
  const attempts = hidesErrors ? 0 : served.length - answered.length;
  // A client may try again, and reports one error for all attempts or one for each.
  const areErrorsRight = failures <= attempts && failures > 0 === attempts > 0;
  const servedAs = answered.map((call) =>
    servedCounts(hidesCache ? { ...call, cacheRead: 0, cacheWrite: 0 } : call),
  );
  const tokens = sorted(counted.map(countsOf)) === sorted(servedAs) ? 'exact' : 'WRONG';
  const cost = costOf(counted);
  const project = signals.every(({ project_id }) => project_id === projectId) ? 'named' : 'WRONG';
  return {
    calls: `${counted.length}/${answered.length}`,
    tokens,
    cost,
    errors: `${failures} of ${attempts} attempts`,
    project,
    isRight: tokens === 'exact' && cost !== 'WRONG' && areErrorsRight && project === 'named',
  };
}

function countsOf(signal: Signal): string {
  const { model, tokens_in, tokens_out, cache_read_tokens, cache_write_tokens } = signal;
  return JSON.stringify([model, tokens_in, tokens_out, cache_read_tokens, cache_write_tokens]);
}

function servedCounts({ model, tokensIn, tokensOut, cacheRead, cacheWrite }: ModelCall): string {
  return JSON.stringify([model, tokensIn, tokensOut, cacheRead, cacheWrite]);
}

function sorted(texts: readonly string[]): string {
  return [...texts].sort().join('\n');
}

/** A computed cost is the list price of the counts; a reported one is the client's own. */
function costOf(signals: readonly Signal[]): Comparison['cost'] {
  if (signals.some(({ cost_source }) => cost_source === 'reported')) return 'reported';
  if (signals.some(({ cost_source }) => cost_source === 'unknown')) return 'unpriced';
  const isExact = signals.every((signal) => {
    const { model, provider, ts, tokens_in, tokens_out, cache_read_tokens, cache_write_tokens } = signal;
    const counts = { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens };
    const names = { ...(model ? { model } : {}), ...(provider ? { provider } : {}) };
    return priceCall({ ...names, at: ts, ...counts }).costNusd === signal.cost_nusd;
  });
  return isExact ? 'exact' : 'WRONG';
}
