import type { Draft } from '../signals/check-signal.ts';

/** Age beyond the session timeout from which a historical signal is past: it raises no events, and is not held. */
const PAST_MS = 3_600_000;

/** Returns true when a signal is older than the session timeout and an hour. */
export function isPast({ ts }: Pick<Draft, 'ts'>, timeoutMs: number, nowMs: number): boolean {
  return ts.getTime() < nowMs - timeoutMs - PAST_MS;
}
