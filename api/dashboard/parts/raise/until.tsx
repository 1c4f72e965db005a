import type { Budget } from '../../data/queries.ts';
import { amount } from '../text/format.ts';
import { When } from '../time/when.tsx';

/** A raise that is in force, with its end. */
export function RaisedUntil({
  budget: { metric, threshold, threshold_now, raised_until },
}: {
  budget: Budget;
}) {
  if (raised_until === null) return null;
  return (
    <>
      , {amount(metric, threshold_now - threshold)} of it raised until <When at={raised_until} />
    </>
  );
}
