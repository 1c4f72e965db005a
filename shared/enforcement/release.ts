import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { callReservations } from './call-reservations.ts';
import { standings } from './recall-standing.ts';

/** The first read after a budget was made learns of it, the second opens its reservations. */
const ATTEMPTS = 3;

/**
 * Ends a reservation now: what it held is free for whoever has amounts from after this. Of one that has ended, was settled
 * or never was, nothing happens. Throws `store_unavailable`, `rebuilding`, `outcome_unknown`.
 */
export async function releaseReservation(ctx: Context, orgId: string, id: string): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { code } = await callReservations(ctx, 'release', orgId, [id]);
    if (code === 'released') return;
    const standing = await standings(ctx).refresh(orgId);
    // Nothing is held where no budget is reserved in.
    if (standing?.definitions.mayReserve !== true) return;
  }
  throw new DomainError('rebuilding', 'What is spent is being read again. Nothing was released; try again.');
}
