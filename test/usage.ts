import type { Context } from '../shared/context.ts';
import { recordSignals } from '../shared/signals/record-signals.ts';
import { makeSignal } from './factories.ts';

/** Records signals by the product's own write path; throws when one is not accepted. */
export async function recordAll(
  ctx: Context,
  orgId: string,
  signals: readonly (Record<string, unknown> & { ts: string | number })[],
): Promise<void> {
  const sender = { orgId, boundUserId: null, defaultProjectId: null };
  for (let from = 0; from < signals.length; from += 1_000) {
    const results = await recordSignals(ctx, sender, signals.slice(from, from + 1_000).map(makeSignal));
    const refused = results.find((result) => result.status !== 'accepted');
    if (refused) throw new Error(`Not accepted: ${JSON.stringify(refused)}`);
  }
}

/** A seeded generator of [0, 1): the same seed, the same numbers. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick<T>(random: () => number, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}
