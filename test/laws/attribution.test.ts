import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  decideParts,
  inOrder,
  type Part,
  type Place,
  type Span,
  spanOf,
  stretchAt,
  type Told,
} from '../../shared/attribution/decide-work.ts';
import { type Head, type Rename, resolvePullRequest } from '../../shared/attribution/resolve-pull-request.ts';

const DAY = 86_400_000;
const BRANCHES = ['main', 'one', 'two', 'three'] as const;
const TASKS = ['A-1', 'B-2'] as const;
const USERS = ['ada', 'bob'] as const;

/** Times within 40 days, few of them, so that many are equal and some contexts are out of force. */
const time = fc.integer({ min: 0, max: 80 }).map((half) => (half * DAY) / 2);
const branch = fc.constantFrom(...BRANCHES);
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 });
const orNone = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

const call = fc.record({
  kind: fc.constant('call' as const),
  at: time,
  user: fc.constantFrom(...USERS),
  session: fc.constantFrom('s1', 's2'),
  ownPlace: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: orNull(branch) },
  ),
  ownTask: fc.option(fc.constantFrom(...TASKS), { nil: undefined, freq: 1 }),
  telemetry: fc.option(branch, { nil: undefined, freq: 1 }),
  nusd: fc.integer({ min: 0, max: 1_000_000 }),
});
const context = fc
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
const rename = fc
  .record({ kind: fc.constant('rename' as const), at: time, from: branch, to: branch })
  .filter(({ from, to }) => from !== to);
const request = fc
  .record({
    kind: fc.constant('request' as const),
    number: fc.integer({ min: 1, max: 4 }),
    head: branch,
    opened: time,
    closed: orNull(time),
  })
  .filter(({ opened, closed }) => closed === null || closed >= opened);

type Of<A> = A extends fc.Arbitrary<infer T> ? T : never;
type Call = Of<typeof call>;
type Told_ = Of<typeof context>;
type Renamed = Of<typeof rename>;
type Request = Of<typeof request>;
type Fact = Told_ | Renamed | Request;

interface Belongs {
  place: string | null | undefined;
  task: string | null;
  pull: number | null;
}

/** The rules of docs/attribution.md, written down once more without any of the product's code. */
function naive(one: Call, facts: readonly Fact[]): Belongs {
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

/** A store as the product has one, by its pure rules: calls keep their work, and facts move only what lies in their span. */
class Store {
  contexts = new Map<string, Told[]>();
  boundaries = new Map<string, number[]>();
  renames = new Map<string, Rename[]>();
  requests = new Map<number, Head & { head: string }>();
  calls: { call: Call; place: Place | undefined; task: string | undefined; since: number }[] = [];

  add(one: Call): void {
    const kept = { call: one, place: placeOf(one.ownPlace ?? one.telemetry), task: one.ownTask, since: 0 };
    if (one.ownPlace === null) kept.place = { repository: 'r' };
    this.calls.push(kept);
    this.decide(kept);
  }

  decide(kept: Store['calls'][number]): void {
    const { call: one } = kept;
    const own: Part[] = [];
    if (one.ownPlace !== undefined) own.push('place');
    if (one.ownTask !== undefined) own.push('task');
    const parts = decideParts(
      { ts: new Date(one.at), user_id: one.user, own, place: kept.place, task: nameOf(kept.task) },
      this.contexts.get(one.session) ?? [],
    );
    kept.place = parts.place;
    kept.task = parts.task?.text;
    kept.since = stretchAt(this.boundaries.get(parts.place?.branch?.text ?? '') ?? [], one.at);
  }

  tell({ id, at, session, user, place, task }: Told_): void {
    const told: Told = { _id: id, ts: new Date(at) };
    if (user !== undefined) told.user_id = user;
    if (place !== undefined) told.place = place === null ? null : (placeOf(place) as Place);
    if (task !== undefined) told.task = nameOf(task) ?? null;
    const timeline = inOrder([...(this.contexts.get(session) ?? []), told]);
    this.contexts.set(session, timeline);
    const span = spanOf(timeline, [told]);
    for (const kept of this.calls)
      if (kept.call.session === session && isIn(span, kept.call.at)) this.decide(kept);
  }

  bound(of: string, at: number): void {
    this.boundaries.set(
      of,
      [...(this.boundaries.get(of) ?? []), at].sort((a, b) => a - b),
    );
    for (const kept of this.calls)
      if (kept.place?.branch?.text === of && kept.call.at >= at) this.decide(kept);
  }

  learn(fact: Fact): void {
    if (fact.kind === 'context') this.tell(fact);
    else if (fact.kind === 'rename') {
      const known = [...(this.renames.get(fact.from) ?? []), { atMs: fact.at, to: fact.to }];
      this.renames.set(
        fact.from,
        known.sort((a, b) => a.atMs - b.atMs),
      );
      this.bound(fact.from, fact.at);
    } else {
      const { number, head, opened, closed } = fact;
      this.requests.set(number, { number, head, openedMs: opened, closedMs: closed });
      if (closed !== null) this.bound(head, closed);
    }
  }

  belongs({ place, task, since }: Store['calls'][number]): Belongs {
    const of = place?.branch?.text;
    const all = [...this.requests.values()].sort((a, b) => a.openedMs - b.openedMs || a.number - b.number);
    const facts = { heads: Map.groupBy(all, ({ head }) => head), renames: this.renames };
    const pull = of === undefined ? null : (resolvePullRequest(of, since, facts)?.number ?? null);
    return { place: place && (of ?? null), task: task ?? null, pull };
  }
}

const nameOf = (text: string | null | undefined) => (text ? { hash: text, text } : undefined);

function placeOf(of: string | null | undefined): Place | undefined {
  if (of === undefined || of === null) return undefined;
  return of === 'detached' ? { repository: 'r' } : { repository: 'r', branch: { hash: of, text: of } };
}

function isIn({ fromMs, untilMs }: Span, at: number): boolean {
  return at >= fromMs && at < untilMs;
}

/** Pull requests keep their head and opening, contexts have ids of their own, and a branch is renamed once at a moment. */
const facts = fc.array(fc.oneof(context, context, rename, request), { maxLength: 14 }).map((all) => {
  const first = new Map<string, Fact>();
  for (const fact of all) first.set(keyOf(fact), fact);
  return [...first.values()];
});

function keyOf(fact: Fact): string {
  if (fact.kind === 'context') return `context ${fact.id}`;
  return fact.kind === 'rename' ? `rename ${fact.from} ${fact.at}` : `request ${fact.number}`;
}

function sumBy(store: Store, key: (of: Belongs) => unknown): Map<unknown, number> {
  const sums = new Map<unknown, number>();
  for (const kept of store.calls) {
    const value = key(store.belongs(kept));
    sums.set(value, (sums.get(value) ?? 0) + kept.call.nusd);
  }
  return sums;
}

it('gives each call what the rules say, in whatever order calls, contexts, renames and pull requests come', () => {
  const order = fc.array(fc.nat(), { minLength: 40, maxLength: 40 });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 12 }), facts, order, order, (calls, known, ...orders) => {
      for (const ranks of orders) {
        const steps = [...calls, ...known].map((step, index) => ({ step, rank: ranks[index] ?? 0 }));
        const store = new Store();
        const learned: Fact[] = [];
        for (const { step } of steps.sort((a, b) => a.rank - b.rank)) {
          if (step.kind === 'call') store.add(step);
          else {
            learned.push(step);
            store.learn(step);
          }
          for (const kept of store.calls) expect(store.belongs(kept)).toEqual(naive(kept.call, learned));
          const total = store.calls.reduce((sum, kept) => sum + kept.call.nusd, 0);
          for (const part of ['place', 'task', 'pull'] as const) {
            const sums = sumBy(store, (of) => of[part]);
            expect([...sums.values()].reduce((sum, own) => sum + own, 0)).toBe(total);
          }
        }
      }
    }),
    { numRuns: 400 },
  );
});
