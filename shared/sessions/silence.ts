import type { Organization } from '../organizations/model.ts';
import type { Session } from './model.ts';

/** How long a session may be silent, in milliseconds. */
export function timeoutMsOf({ session_timeout }: Pick<Organization, 'session_timeout'>): number {
  return session_timeout * 1_000;
}

/** The first moment (epoch ms) at which a session's silence has lasted longer than the timeout. */
export function silenceEndsMs(
  { last_activity_at }: Pick<Session, 'last_activity_at'>,
  timeoutMs: number,
): number {
  return last_activity_at.getTime() + timeoutMs + 1;
}
