import { type Concern, watch } from '../../hooks/concern.ts';
import { exact } from '../../parts/text/format.ts';
import { type HeldPage, readHeld } from './queries.ts';

export const held = watch({
  queryKey: ['held', 1],
  queryFn: () => readHeld(1),
  pollMs: 120_000,
  concernsOf: heldConcerns,
});

/** Held signals that nobody has decided about; a newer one is another occurrence. */
function heldConcerns(held: HeldPage): Concern[] {
  const [newest] = held.data;
  if (!newest) return [];
  const isOne = held.total === 1;
  return [
    {
      kind: 'held',
      object: 'signals',
      occurrence: newest.id,
      severity: 'warning',
      link: isOne ? 'A call is held' : `${exact(held.total)} calls are held`,
      note: `no figure counts ${isOne ? 'it' : 'them'} until an admin decides`,
      to: '/sessions',
    },
  ];
}
