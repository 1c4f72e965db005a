import { State } from '../../parts/text/state.tsx';
import type { Raise } from './queries.ts';

/** States of raises that look like others: a first visit knows only those. */
const LIKE: Partial<Record<Raise['status'], string>> = {
  approved: 'ok',
  denied: 'declined',
  withdrawn: 'cancelled',
};

export function RaiseState({ of: status }: { of: Raise['status'] }) {
  return <State of={LIKE[status] ?? status}>{status}</State>;
}
