import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { callReservations } from './call-reservations.ts';
import { standings } from './recall-standing.ts';

/**
 * Ends a reservation now: what it held is free for whoever has amounts from after this. Of one that has ended, was settled
 * or never was, nothing happens. Throws `store_unavailable`, `rebuilding`, `outcome_unknown`.
 */
export async function releaseReservation(ctx: Context, orgId: string, id: string): Promise<void> {
  const { code } = await callReservations(ctx, 'release', orgId, [id]);
  if (code === 'released') return;
  const standing = await standings(ctx).refresh(orgId);
  // Nothing is held where no budget is reserved in.
  if (standing?.definitions.mayReserve !== true) return;
  const again = await callReservations(ctx, 'release', orgId, [id]);
  if (again.code === 'shut')
    throw new DomainError(
      'rebuilding',
      'What is spent is being read again. Nothing was released; try again.',
    );
}
