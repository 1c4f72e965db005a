import { DomainError } from '../../../../platform/basics/errors.ts';
import { commitPlan } from '../../../../platform/context/commit-plan.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { auditWrite } from '../../../accounts/audit/record-audit.ts';
import { findBudget } from '../../budgets/rules/model.ts';
import { mayReserve, nameOfUser } from '../state/budget-status.ts';
import { statusCache } from '../state/cached-status.ts';
import { callReservations } from '../state/call-reservations.ts';
import { openReservations, readReservationState } from '../state/reservation-state.ts';

/**
 * Ends a reservation now, of this user alone unless that is null, and returns whether it was open: from amounts that are read
 * after this its estimate is free. Nothing happens to another user's, and to one that has ended, was settled or never was.
 * Throws `store_unavailable`, `rebuilding`, `outcome_unknown`.
 */
export async function releaseReservation(
  ctx: Context,
  orgId: string,
  id: string,
  userId: string | null,
): Promise<boolean> {
  const user = nameOfUser(orgId, userId);
  const answer = await onceOpen(ctx, orgId, () => callReservations(ctx, 'release', orgId, [id, user]));
  return answer?.[0] === 'was open';
}

/** Selects reservations of this key, and of this user, and with an amount in this budget. */
export interface Matching {
  keyId?: string | undefined;
  userId?: string | undefined;
  budgetId?: string | undefined;
}

/**
 * Releases an organization's open reservations that match, in short steps, and returns how many there were. A reservation
 * ends in all its budgets. One that is made meanwhile may be missed. Throws as `releaseReservation`; repeating it is safe.
 */
export async function releaseMatching(
  ctx: Context,
  orgId: string,
  { keyId = '', userId, budgetId = '' }: Matching,
): Promise<number> {
  const user = userId === undefined ? '' : nameOfUser(orgId, userId);
  let released = 0;
  let cursor = '0';
  do {
    const at = cursor;
    const answer = await onceOpen(ctx, orgId, () =>
      callReservations(ctx, 'release-matching', orgId, [at, keyId, user, budgetId]),
    );
    if (answer === null) return released;
    const [next = '0', count] = answer;
    released += Number(count);
    cursor = next;
  } while (cursor !== '0');
  return released;
}

/**
 * Releases the open reservations of a budget, only those of one key or one user if they are named, and returns how many
 * there were. The line in the audit log is written first, so that nothing is released without one. Throws `not_found`, and as
 * `releaseMatching`.
 */
export async function releaseInBudget(
  ctx: Context,
  orgId: string,
  budgetId: string,
  { user_id, key_id }: { user_id?: string | undefined; key_id?: string | undefined },
): Promise<number> {
  const details = {
    budget_id: budgetId,
    ...(user_id === undefined ? {} : { user_id }),
    ...(key_id === undefined ? {} : { key_id }),
  };
  await commitPlan(ctx, async (transaction) => {
    await findBudget(ctx, orgId, budgetId, transaction);
    const entry = { action: 'budget.release_reservations', org_id: orgId, details } as const;
    return { writes: [auditWrite(ctx, entry)], result: undefined };
  });
  return releaseMatching(ctx, orgId, { budgetId, userId: user_id, keyId: key_id });
}

/**
 * Calls a script, and opens the organization's reservations first if they are not open yet. Null when no budget takes
 * reservations, so that nothing is held.
 */
async function onceOpen(
  ctx: Context,
  orgId: string,
  call: () => Promise<{ code: string; values: string[] }>,
): Promise<string[] | null> {
  const first = await call();
  if (first.code !== 'shut') return first.values;
  const status = await statusCache(ctx).refresh(orgId);
  if (!status || !mayReserve(status.rules.limits)) return null;
  await openReservations(ctx, orgId, await readReservationState(ctx, orgId));
  const second = await call();
  if (second.code !== 'shut') return second.values;
  throw new DomainError('rebuilding', 'Spent amounts are being read again. Nothing was released; try again.');
}
