type Verb = 'release' | 'discard';
type Status = 'released' | 'discarded' | 'expired' | 'not_found';

const ASKED = { release: 'released', discard: 'discarded' } as const;
const DONE = {
  release: 'Released: every figure counts them from now on.',
  discard: 'Discarded.',
} as const;
/** The rest of a sentence about held signals that did not end as asked: about one, and about several. */
const OTHERWISE: readonly [Status, one: string, several: string][] = [
  ['released', 'was released before', 'were released before'],
  ['discarded', 'was discarded before', 'were discarded before'],
  ['expired', 'is too old to be recorded', 'are too old to be recorded'],
  ['not_found', 'was not found', 'were not found'],
];

/** The sentence that says how a decision about held signals ended, by the state of each. Pure. */
export function decidedWords(verb: Verb, results: readonly { status: Status }[]): string {
  const asked = ASKED[verb];
  const count = (state: Status) => results.filter(({ status }) => status === state).length;
  const done = count(asked);
  if (done === results.length) return DONE[verb];
  const begin = done === 0 ? 'None is' : `${done} of ${results.length} ${done === 1 ? 'is' : 'are'}`;
  const others = OTHERWISE.filter(([state]) => state !== asked && count(state) > 0);
  const rest = others.map(
    ([state, one, several]) => ` ${count(state)} ${count(state) === 1 ? one : several}.`,
  );
  return `${begin} ${asked}.${rest.join('')}`;
}
