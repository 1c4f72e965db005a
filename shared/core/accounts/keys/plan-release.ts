import { dateAt } from '../../../platform/basics/clock.ts';
import { hashedKey } from '../../../platform/basics/ids.ts';
import { NO_PLAN, type Plan } from '../../../platform/context/commit-plan.ts';
import { setDue } from '../../../platform/due/plan-due.ts';
import { type DueRelease, releaseReservationsJob } from './jobs.ts';
import { type ApiKey, endOfKey } from './model.ts';

/**
 * The plan that releases the reservations of a key when it ends, in the transaction that decides about its end: so they are
 * released whatever is killed. It replaces an earlier plan for this key. Pure.
 */
export function planReleaseOfKey(key: ApiKey): Plan {
  const end = key.revoked_at ?? endOfKey(key);
  if (!end || !key.scopes.includes('budgets:check')) return NO_PLAN;
  return planRelease(key.org_id, { key_id: key._id }, end.getTime());
}

/** The same for a user who is removed: whichever key made the reservations. Pure. */
export function planReleaseOfUser(orgId: string, userId: string, endMs: number): Plan {
  return planRelease(orgId, { user_id: userId }, endMs);
}

function planRelease(orgId: string, of: { key_id: string } | { user_id: string }, endMs: number): Plan {
  const details: DueRelease = { ...of, ended_at: dateAt(endMs), released: 0 };
  const key = hashedKey(18, orgId, ...Object.entries(of).flat());
  return setDue(releaseReservationsJob, { key, orgId, dueMs: endMs, details });
}
