import fc from 'fast-check';

const DAY = 86_400_000;
export const BRANCHES = ['main', 'one', 'two', 'three'] as const;
export const TASKS = ['A-1', 'B-2'] as const;
export const USERS = ['ada', 'bob'] as const;

/** Times within 40 days, few of them, so that many are equal and some contexts are out of force. */
const time = fc.integer({ min: 0, max: 80 }).map((half) => (half * DAY) / 2);
const branch = fc.constantFrom(...BRANCHES);
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 });
const orNone = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

export const call = fc.record({
  kind: fc.constant('call' as const),
  at: time,
  user: fc.constantFrom(...USERS),
  session: fc.constantFrom('s1', 's2'),
  ownPlace: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: orNull(branch) },
  ),
  ownTask: fc.option(fc.constantFrom(...TASKS), { nil: undefined, freq: 2 }),
  telemetry: fc.option(branch, { nil: undefined, freq: 2 }),
  nusd: fc.integer({ min: 0, max: 1_000_000 }),
});
export const context = fc
  .record({
    kind: fc.constant('context' as const),
    id: fc.string({ minLength: 6, maxLength: 6 }),
    at: time,
    session: fc.constantFrom('s1', 's2'),
    user: orNone(fc.constantFrom(...USERS)),
    /** `detached` is a place without a branch, null the end of the part. */
    place: orNone(orNull(fc.constantFrom(...BRANCHES, 'detached' as const))),
    task: orNone(orNull(fc.constantFrom(...TASKS))),
  })
  .filter(({ place, task }) => place !== undefined || task !== undefined);
export const rename = fc
  .record({ kind: fc.constant('rename' as const), at: time, from: branch, to: branch })
  .filter(({ from, to }) => from !== to);
export const request = fc
  .record({
    kind: fc.constant('request' as const),
    number: fc.integer({ min: 1, max: 4 }),
    head: branch,
    opened: time,
    closed: orNull(time),
  })
  .filter(({ opened, closed }) => closed === null || closed >= opened);

type Of<A> = A extends fc.Arbitrary<infer T> ? T : never;
export type Call = Of<typeof call>;
export type ToldContext = Of<typeof context>;
type Renamed = Of<typeof rename>;
type Request = Of<typeof request>;
export type Fact = ToldContext | Renamed | Request;

export interface Belongs {
  place: string | null | undefined;
  task: string | null;
  pull: number | null;
}

/** The rules of docs/attribution.md, written down once more without any of the product's code. */
export function naive(one: Call, facts: readonly Fact[]): Belongs {
  const contexts = facts.filter((fact) => fact.kind === 'context');
  const mine = contexts
    .filter(
      ({ session, user, at }) => session === one.session && (!user || user === one.user) && at <= one.at,
    )
    .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
  const placed = mine.find(({ place }) => place !== undefined);
  const tasked = mine.find(({ task }) => task !== undefined);
  let place: string | null | undefined = one.telemetry;
  if (placed && one.at - placed.at <= 35 * DAY) place = placed.place === null ? undefined : placed.place;
  if (place === 'detached') place = null;
  if (one.ownPlace !== undefined) place = one.ownPlace;
  let task = tasked && one.at - tasked.at <= 35 * DAY ? tasked.task : null;
  task = one.ownTask ?? task ?? null;
  return { place, task, pull: place ? pullOf(place, one.at, facts, 0) : null };
}

function pullOf(of: string, at: number, facts: readonly Fact[], step: number): number | null {
  if (step > 10) return null;
  const renames = facts.filter((fact) => fact.kind === 'rename').sort((a, b) => a.at - b.at);
  const next = renames.find((one) => one.from === of && one.at > at);
  const first = facts
    .filter((fact) => fact.kind === 'request')
    .sort((a, b) => a.opened - b.opened || a.number - b.number)
    .find(
      ({ head, opened, closed }) =>
        head === of && (!next || opened < next.at) && (closed === null || closed > at),
    );
  if (first) return first.number;
  return next ? pullOf(next.to, next.at, facts, step + 1) : null;
}
