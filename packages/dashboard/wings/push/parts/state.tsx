import { State } from '../../../parts/text/state.tsx';
import { When } from '../../../parts/time/when.tsx';
import type { Destination } from './queries.ts';
import { reachText } from './words.ts';

/** The state of a destination as icon and word. */
export function DestinationState({ of: { status } }: { of: Pick<Destination, 'status'> }) {
  return status === 'never_run' ? <State of="pending">not run yet</State> : <State of={status} />;
}

/** The state of a destination in words: Days up to 22 Nov are there. Next run 24 Nov, 03:00. */
export function Standing({ of }: { of: Destination }) {
  return (
    <>
      {reachText(of)}{' '}
      {of.next_run_at === null ? (
        'It is paused: nothing is written.'
      ) : (
        <>
          Next run <When at={of.next_run_at} />.
        </>
      )}
    </>
  );
}
