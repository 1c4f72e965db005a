import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BranchBoundary,
  decideReport,
  type Reported,
} from '../../../../../shared/wings/work/pull-requests/decide.ts';
import type { PullRequest } from '../../../../../shared/wings/work/pull-requests/model.ts';
import { PULL_REQUEST_STATES } from '../../../../../shared/wings/work/pull-requests/report.ts';

const keyOf = (repository: string, { hash }: { hash: string }) => `${repository} ${hash}`;
const ORG = { orgId: 'org_1', keyOf };
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 10, minute));
const name = (text: string) => ({ hash: `h_${text}`, text });

function report(minute: number, overrides: Partial<Reported> = {}): Reported {
  return {
    repository: 'github.com/acme/shop',
    number: 12,
    title: 'Add a cart',
    url: 'https://github.com/acme/shop/pull/12',
    head_repository: 'github.com/acme/shop',
    branch: name('cart'),
    base_branch: name('main'),
    state: 'open',
    signed: false,
    opened_at: at(0),
    closed_at: null,
    updated_at: at(minute),
    ...overrides,
  };
}

/** Everything that these reports make, in their order. */
function tell(reports: readonly Reported[]) {
  let row: PullRequest | null = null;
  const outcomes: string[] = [];
  const boundaries: BranchBoundary[] = [];
  const undone = new Set<string>();
  for (const one of reports) {
    const decided = decideReport(ORG, row, one);
    row = decided.row;
    outcomes.push(decided.outcome);
    boundaries.push(...decided.boundaries);
    for (const boundary of decided.boundaries) undone.delete(`${shown(boundary)} ${boundary.to?.text}`);
    for (const boundary of decided.undone) undone.add(`${shown(boundary)} ${boundary.to?.text}`);
  }
  if (!row) throw new Error('nothing was told');
  const renames = boundaries.flatMap((one) => (one.to ? [`${shown(one)} ${one.to.text}`] : []));
  return {
    row,
    outcomes,
    boundaries: boundaries.map(shown),
    renames: renames.filter((one) => !undone.has(one)),
  };
}

const shown = ({ at: moment, repository, branch }: BranchBoundary) =>
  `${moment.getUTCMinutes()} ${repository} ${branch.text}`;

describe('a report of a pull request', () => {
  it('is stale when a newer one is known, and repeated when the same one is', () => {
    const { row, outcomes } = tell([
      report(5, { title: 'New' }),
      report(3, { title: 'Old' }),
      report(5, { title: 'New' }),
    ]);
    expect(outcomes).toEqual(['applied', 'stale', 'repeated']);
    expect(row).toMatchObject({ title: 'New', updated_at: at(5) });
  });

  it('of the same moment applies when its state is further: open, closed, merged', () => {
    const states = ['open', 'closed', 'merged', 'closed', 'open'] as const;
    const { row, outcomes } = tell(states.map((state) => report(5, { state })));
    expect(outcomes).toEqual(['applied', 'applied', 'applied', 'repeated', 'repeated']);
    expect(row.state).toBe('merged');
  });

  it('with another branch or title at the same moment is the one whose words come last', () => {
    const both = [report(5, { title: 'B', branch: name('basket') }), report(5, { title: 'A' })];
    const { row } = tell([report(1), ...both]);
    expect(row).toMatchObject({ title: 'B', branch: name('basket') });
    expect(row.renames).toMatchObject([{ at: at(5), from: name('cart'), to: name('basket') }]);
  });

  it('keeps the newest title that any of them says, whichever of them leaves it out', () => {
    const titles = ['First', 'Second', null].map((title, index) => report(index + 1, { title }));
    expect(tell(titles.toReversed()).row.title).toBe('Second');
  });

  it('signed by a code host says when it was opened, whatever other reports say', () => {
    const signed = report(5, { opened_at: at(3), signed: true });
    const unsigned = report(6, { opened_at: at(0) });
    expect(tell([signed, unsigned]).row).toMatchObject({ opened_at: at(3), signed: true });
  });

  it('keeps its renames when it was closed and reopened more often than it remembers', () => {
    const renamed = [report(0, { branch: name('old') }), report(1)];
    const turns = Array.from({ length: 120 }, (_, index) =>
      report(index + 2, { state: index % 2 === 0 ? 'closed' : 'open' }),
    );
    const { row, renames } = tell([...renamed, ...turns, report(200, { state: 'merged' })]);
    expect(row.seen.length).toBeLessThanOrEqual(50);
    expect(row.renames).toMatchObject([{ at: at(1), from: name('old'), to: name('cart') }]);
    expect(renames).toHaveLength(1);
    expect(row.merged_at).toEqual(at(200));
  });

  it('that ends it ends it where it says so, else when it was changed, until it is reopened', () => {
    expect(tell([report(4, { state: 'closed', closed_at: at(3) })]).row.closed_at).toEqual(at(3));
    const edited = [report(1), report(4, { state: 'closed' }), report(9, { state: 'closed' })];
    expect(tell(edited).row).toMatchObject({ closed_at: at(4), merged_at: null });
    const reopened = [...edited, report(10)];
    expect(tell(reopened).row.closed_at).toBeNull();
    const merged = [...reopened, report(12, { state: 'merged' }), report(20, { state: 'merged' })];
    const { row, boundaries } = tell(merged);
    expect(row).toMatchObject({ closed_at: at(12), merged_at: at(12) });
    expect(boundaries).toEqual(['4 github.com/acme/shop cart', '12 github.com/acme/shop cart']);
  });

  it('keeps the head repository when the fork is gone', () => {
    const fork = 'github.com/ada/shop';
    const { row } = tell([
      report(1, { head_repository: fork }),
      report(3, { head_repository: null, state: 'closed' }),
    ]);
    expect(row).toMatchObject({ head_repository: fork, head: keyOf(fork, name('cart')) });
    expect(tell([report(1, { head_repository: null })]).row).toMatchObject({
      head_repository: null,
      head: null,
    });
  });

  it('with another head branch is a rename of it, at that moment', () => {
    const renamed = report(7, { branch: name('basket') });
    const { row, boundaries } = tell([report(1), renamed, report(9, { ...renamed, updated_at: at(9) })]);
    expect(row.branch).toEqual(name('basket'));
    expect(row.renames).toEqual([
      { at: at(7), repository: 'github.com/acme/shop', from: name('cart'), to: name('basket') },
    ]);
    expect(boundaries).toEqual(['7 github.com/acme/shop cart']);
    const fork = report(11, { branch: name('x'), head_repository: 'github.com/ada/shop' });
    expect(tell([report(1), fork]).row.renames).toEqual([]);
  });

  it('forgets those between equal ones beyond 50, and no end and no name', () => {
    const names = Array.from({ length: 3 }, (_, index) => name(`n${index}`));
    const many = names.flatMap((branch, part) => [
      ...Array.from({ length: 60 }, (_, index) => report(part * 100 + index, { branch })),
      report(part * 100 + 80, { branch, state: 'closed' }),
    ]);
    const { row } = tell(many);
    expect(row.seen.length).toBeLessThanOrEqual(50);
    expect(row.renames.map(({ at: moment }) => moment)).toEqual([at(100), at(200)]);
    expect(row.closed_at).toEqual(at(280));
  });
});

const FORKS = ['github.com/acme/shop', 'github.com/ada/shop', null];

/** Reports whose content follows from their moment and state, as that of one code host does. */
const story = fc
  .uniqueArray(
    fc.record({
      minute: fc.integer({ min: 1, max: 14 }),
      state: fc.constantFrom(...PULL_REQUEST_STATES),
      branch: fc.constantFrom('cart', 'basket'),
      fork: fc.constantFrom(...FORKS),
      saysEnd: fc.boolean(),
    }),
    { selector: ({ minute, state }) => `${minute} ${state}`, minLength: 1, maxLength: 12 },
  )
  .map((events) =>
    events.map(({ minute, state, branch, fork, saysEnd }) =>
      report(minute, {
        state,
        title: `${state} at ${minute}`,
        opened_at: at(minute % 3),
        branch: name(branch),
        head_repository: fork,
        closed_at: state !== 'open' && saysEnd ? at(minute - 1) : null,
      }),
    ),
  );

/** The rules once more, for reports in the order in which they were made. */
function naive(reports: readonly Reported[]) {
  const ranked = reports.toSorted(
    (a, b) =>
      a.updated_at.getTime() - b.updated_at.getTime() ||
      PULL_REQUEST_STATES.indexOf(a.state) - PULL_REQUEST_STATES.indexOf(b.state),
  );
  const ordered = ranked.filter(
    (one, index) => one.updated_at.getTime() !== ranked[index + 1]?.updated_at.getTime(),
  );
  let closedAt: Date | null = null;
  let repository: string | null = null;
  for (const one of ordered) {
    closedAt = one.state === 'open' ? null : (closedAt ?? one.closed_at ?? one.updated_at);
    repository = one.head_repository ?? repository;
  }
  const last = ordered.at(-1);
  return {
    opened_at: new Date(Math.min(...reports.map((one) => one.opened_at.getTime()))),
    state: last?.state,
    title: last?.title,
    closed_at: closedAt,
    head_repository: repository,
    branch: last?.branch,
  };
}

describe('the reports of a pull request', () => {
  it('make the same of it in any order, however often, and as if they had come in theirs', () => {
    fc.assert(
      fc.property(
        story.chain((reports) =>
          fc.tuple(
            fc.constant(reports),
            fc.shuffledSubarray([...reports, ...reports], { minLength: reports.length * 2 }),
          ),
        ),
        ([reports, shuffled]) => {
          const { row, boundaries, renames } = tell(shuffled);
          const inOrder = tell(reports.toSorted((a, b) => a.updated_at.getTime() - b.updated_at.getTime()));
          expect(row).toEqual(inOrder.row);
          expect(row).toMatchObject(naive(reports));
          const told = row.renames.map(({ from: branch, to, ...one }) => ({
            one: shown({ ...one, branch }),
            to,
          }));
          expect(new Set(renames)).toEqual(new Set(told.map(({ one, to }) => `${one} ${to.text}`)));
          // Each end and each rename that it has now was named a boundary when it became known.
          const { closed_at, head_repository: repository, branch } = row;
          const ends = closed_at && repository ? [shown({ at: closed_at, repository, branch })] : [];
          for (const one of [...told.map((rename) => rename.one), ...ends]) expect(boundaries).toContain(one);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('make the same of it in any order where they differ at one moment, or leave texts out', () => {
    const any = fc.record({
      minute: fc.integer({ min: 1, max: 4 }),
      state: fc.constantFrom(...PULL_REQUEST_STATES),
      branch: fc.constantFrom('cart', 'basket', 'bag'),
      fork: fc.constantFrom(...FORKS),
      title: fc.constantFrom('A', 'B', null),
      signed: fc.boolean(),
      opened: fc.integer({ min: 0, max: 3 }),
    });
    const orders = fc
      .array(any, { minLength: 1, maxLength: 8 })
      .chain((stories) =>
        fc.tuple(fc.constant(stories), fc.shuffledSubarray(stories, { minLength: stories.length })),
      );
    const made = (stories: readonly (typeof any extends fc.Arbitrary<infer Story> ? Story : never)[]) =>
      tell(
        stories.map(({ minute, state, branch, fork, title, signed, opened }) =>
          report(minute, {
            state,
            title,
            signed,
            branch: name(branch),
            head_repository: fork,
            opened_at: at(opened),
          }),
        ),
      );
    fc.assert(
      fc.property(orders, ([one, other]) => {
        expect(made(one).row).toEqual(made(other).row);
        expect(new Set(made(one).renames)).toEqual(new Set(made(other).renames));
      }),
      { numRuns: 2_000 },
    );
  });
});
