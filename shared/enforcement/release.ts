import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { callReservations, nameOfUser } from './call-reservations.ts';
import { lookAtReservations, openReservations } from './open-reservations.ts';
import { standings } from './recall-standing.ts';

/**
 * Ends a reservation now: from amounts that are read after this its estimate is free. Nothing happens to one that has ended,
 * was settled or never was. Throws `store_unavailable`, `rebuilding`, `outcome_unknown`.
 */
export async function releaseReservation(ctx: Context, orgId: string, id: string): Promise<void> {
  await onceOpen(ctx, orgId, () => callReservations(ctx, 'release', orgId, [id]));
}

/** Which reservations are meant: those that are of this key, and of this user, and hold something in this budget. */
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
 * Calls a script, and opens the organization's reservations first where they are not open yet. Null when nothing can be
 * reserved in any budget: nothing is held.
 */
async function onceOpen(
  ctx: Context,
  orgId: string,
  call: () => Promise<{ code: string; values: string[] }>,
): Promise<string[] | null> {
  const first = await call();
  if (first.code !== 'shut') return first.values;
  const standing = await standings(ctx).refresh(orgId);
  if (standing?.definitions.mayReserve !== true) return null;
  await openReservations(ctx, orgId, await lookAtReservations(ctx, orgId));
  const second = await call();
  if (second.code !== 'shut') return second.values;
  throw new DomainError('rebuilding', 'What is spent is being read again. Nothing was released; try again.');
}
