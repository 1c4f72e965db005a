import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Part, Place } from '../../shared/core/calls/signals/place.ts';
import {
  decideParts,
  inOrder,
  type Span,
  spanOf,
  stretchAt,
  type Told,
} from '../../shared/wings/work/attribution/decide-work.ts';
import {
  type Head,
  type Rename,
  resolvePullRequest,
} from '../../shared/wings/work/attribution/resolve-pull-request.ts';
import {
  type Belongs,
  type Call,
  call,
  context,
  type Fact,
  naive,
  rename,
  request,
  type ToldContext,
} from '../support/attribution-oracle.ts';

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

  tell({ id, at, session, user, place, task }: ToldContext): void {
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
