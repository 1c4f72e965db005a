import { WEBHOOK_WAITS_MS } from '../../platform/basics/contract.ts';
import type { Context } from '../../platform/context/context.ts';

export const ATTEMPTS = WEBHOOK_WAITS_MS.length;

/**
 * A retry is woken and read this long before it is due, so that at its time nothing but the request is left to do.
 * Longer than what a queue may wake late: Redis ends a blocked read with its next tick, up to 100 ms after its time.
 */
export const WOKEN_EARLY_MS = 250;

/**
 * When the attempt after the failed `attempt` (1..5) is due, epoch ms: exactly the contract's wait after the failure,
 * no jitter; null after the last one. TIME_SCALE shortens the waits outside production.
 */
export function nextAttemptAt(
  { config }: Pick<Context, 'config'>,
  attempt: number,
  failedAtMs: number,
): number | null {
  const waitMs = WEBHOOK_WAITS_MS[attempt];
  return waitMs === undefined ? null : failedAtMs + Math.ceil(waitMs / config.timeScale);
}
