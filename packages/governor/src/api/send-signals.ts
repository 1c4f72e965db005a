import { z } from 'zod';
import { type Api, ask, type Pause } from './ask.ts';

const answerSchema = z.object({
  results: z.array(
    z.object({
      status: z.enum(['accepted', 'duplicate', 'held', 'rejected']),
      code: z.string().optional(),
      detail: z.string().optional(),
    }),
  ),
});
export type SignalResult = z.infer<typeof answerSchema>['results'][number];

/** The api that signals are sent to. */
export interface Target extends Api {
  /** True for history: old signals then raise no webhooks, budget events or anomalies. */
  readonly historical?: boolean | undefined;
}

/**
 * Posts one batch (`POST /api/v1/signals`) and returns a result for each signal, in order. The signals' ids make a repeat
 * harmless. Throws as `ask`.
 */
export async function sendSignals(
  target: Target,
  signals: readonly object[],
  pause: Pause,
): Promise<SignalResult[]> {
  const body = JSON.stringify({ signals, historical: target.historical === true ? true : undefined });
  const { results } = await ask(target, '/api/v1/signals', body, pause, answerSchema);
  if (results.length !== signals.length)
    throw new Error(`sent ${signals.length} signals, got ${results.length} results`);
  return results;
}
