import { describe, expect, it } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { sessionHeadRows } from '../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { CONTEXTS_PER_SESSION } from '../../shared/platform/basics/contract.ts';
import { commitPlan } from '../../shared/platform/context/commit-plan.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import {
  contextRows,
  sessionWorkRows,
  type WorkRow,
  workRows,
} from '../../shared/wings/work/attribution/model.ts';
import { plainName } from '../../shared/wings/work/attribution/names.ts';
import { recordContexts } from '../../shared/wings/work/contexts/record-contexts.ts';
import { moveSessionCallsJob } from '../../shared/wings/work/moves/jobs.ts';
import { moveBranchCalls, moveSessionCalls } from '../../shared/wings/work/moves/move-calls.ts';
import { rememberFacts } from '../../shared/wings/work/moves/plan-facts.ts';
import { planBoundaries } from '../../shared/wings/work/moves/record-boundaries.ts';
import { makeSignal, makeTenant, senderOf } from '../support/factories.ts';
import { processBeside, storesFixture } from '../support/fixture.ts';
import { createTestClock, openTestContext, type TestContext } from '../support/harness.ts';
import { standingStillAfter } from '../support/interleave.ts';

const NOW = Date.parse('2026-11-24T12:00:00Z');
const DAY = 86_400_000;
const REPOSITORY = 'github.com/acme/shop';
const { ctx } = await storesFixture({ clock: NOW });
const other = await processBeside(ctx);

async function newSender() {
  const { orgId } = await makeTenant(ctx);
  return { orgId, sender: senderOf(orgId) };
}

function calls(count: number, fromMs: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) =>
    makeSignal({ ts: fromMs + index * 1_000, metadata: { client_session_id: 's-1' }, cost_usd: 0.01 }),
  );
}

function contextOf(branch: string, ts: number) {
  return { client_session_id: 's-1', ts: new Date(ts).toISOString(), repository: REPOSITORY, branch };
}

/** How many calls of an organization each branch or stretch has: what is read of its work. */
async function countBy(
  orgId: string,
  read: (work: WorkRow | undefined) => string | number,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const works = new Map((await workRows(ctx).find({ org_id: orgId }).toArray()).map((row) => [row._id, row]));
  for await (const { work = '' } of signalRows(ctx).find({ org_id: orgId })) {
    const name = read(works.get(work));
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const branches = (orgId: string) => countBy(orgId, (work) => work?.branch?.text ?? 'none');
const stretches = (orgId: string) => countBy(orgId, (work) => work?.since ?? -1);

/** True when rollups, and the works of sessions, are those of the signals. */
async function isConserved(orgId: string): Promise<boolean> {
  const organization = await readOrganization(ctx, orgId);
  const { wrong } = await reconcileUsage(ctx, organization, { repair: false });
  const pairs = new Set<string>();
  for await (const { session_id, work, voided } of signalRows(ctx).find({ org_id: orgId }))
    if (!voided && work !== undefined) pairs.add(`${session_id} ${work}`);
  const rows = await sessionWorkRows(ctx).find({ org_id: orgId }).toArray();
  return wrong === 0 && rows.length === pairs.size && rows.every(({ _id }) => pairs.has(_id));
}

async function expectBranches(orgId: string, counts: Record<string, number>): Promise<void> {
  expect(await branches(orgId)).toEqual(counts);
  expect(await isConserved(orgId)).toBe(true);
}

async function dueKeys(orgId: string, kind = moveSessionCallsJob.kind): Promise<string[]> {
  const rows = await dueRows(ctx).find({ kind, org_id: orgId }).toArray();
  return rows.map(({ key }) => key);
}

describe('a context that concerns more calls than one transaction moves', () => {
  it('moves all of them by a worker that is killed between any two transactions and goes on', async () => {
    const { orgId, sender } = await newSender();
    for (const part of [0, 1]) await recordSignals(ctx, sender, calls(950, NOW - 2 * DAY + part * 950_000));
    const told = await recordContexts(ctx, sender, [contextOf('one', NOW - 3 * DAY)]);
    expect(told).toMatchObject({ moved: 500, moving: true });
    await expectBranches(orgId, { one: 500, none: 1_400 });
    const [key = ''] = await dueKeys(orgId);
    const killed = () => Promise.reject(new Error('killed'));
    // The first read of each is that of its first transaction, which a worker that dies there has not begun.
    for (const [reads, one] of [
      [1, 500],
      [2, 1_000],
      [2, 1_500],
      [1, 1_500],
    ] as const) {
      const dying = standingStillAfter(ctx, dueRows, killed, reads);
      await expect(moveSessionCalls(dying, key)).rejects.toThrow('killed');
      await expectBranches(orgId, { one, none: 1_900 - one });
    }
    await moveSessionCalls(other, key);
    await expectBranches(orgId, { one: 1_900 });
    expect(await dueKeys(orgId)).toEqual([]);
  });

  it.each([
    ['later', -DAY, 300_000, { one: 300, two: 600 }],
    ['earlier', 300_000, -DAY, { one: 600, two: 300 }],
  ])(
    'gives each call what holds at last when a second context, of a %s time, comes while it moves',
    async (_, firstMs, secondMs, counts) => {
      const { orgId, sender } = await newSender();
      await recordSignals(ctx, sender, calls(900, NOW - 2 * DAY));
      await recordContexts(ctx, sender, [contextOf('one', NOW - 2 * DAY + firstMs)]);
      const [key = ''] = await dueKeys(orgId);
      const second = contextOf('two', NOW - 2 * DAY + secondMs);
      const while_ = () =>
        recordContexts(other, sender, [second]).then((told) => expect(told.moving).toBe(true));
      await moveSessionCalls(standingStillAfter(ctx, dueRows, while_), key);
      for (const left of await dueKeys(orgId)) await moveSessionCalls(ctx, left);
      await expectBranches(orgId, counts);
    },
  );

  it('goes to the end of the queue after ten transactions, and goes on from there', async () => {
    const { orgId, sender } = await newSender();
    // A transaction that moves five calls.
    const byFive = { ...ctx, few: 5 };
    await recordSignals(byFive, sender, calls(56, NOW - 2 * DAY));
    await recordContexts(byFive, sender, [contextOf('one', NOW - 3 * DAY)]);
    const [key = ''] = await dueKeys(orgId);
    expect(await moveSessionCalls(byFive, key)).toEqual({ notBeforeMs: NOW });
    expect(await branches(orgId)).toEqual({ one: 55, none: 1 });
    expect(await moveSessionCalls(byFive, key)).toBeUndefined();
    await expectBranches(orgId, { one: 56 });
  });
});

/** Records so many calls of each of these client sessions. */
async function recordEach(orgId: string, names: readonly string[], count: number): Promise<void> {
  for (const client_session_id of names) {
    const own = calls(count, NOW - 2 * DAY).map((call) => ({ ...call, metadata: { client_session_id } }));
    await recordSignals(ctx, senderOf(orgId), own);
  }
}

/** Tells that all of them are on a branch from a time on. */
function tellEach(orgId: string, names: readonly string[], ts: number) {
  const contexts = names.map((client_session_id) => ({ ...contextOf('one', ts), client_session_id }));
  return recordContexts(ctx, senderOf(orgId), contexts);
}

describe('contexts of many client sessions', () => {
  it('look at 2,000 calls in their transaction, and leave the others to workers', async () => {
    const { orgId } = await newSender();
    const names = Array.from({ length: 6 }, (_, index) => `s-${index}`);
    await recordEach(orgId, names, 500);
    expect(await tellEach(orgId, names, NOW - 3 * DAY)).toMatchObject({ moved: 500, moving: true });
    for (const key of await dueKeys(orgId)) await moveSessionCalls(ctx, key);
    expect(await branches(orgId)).toEqual({ one: 3_000 });
    // The same again: nothing is to be moved, and as much to be looked at.
    expect(await tellEach(orgId, names, NOW - 3 * DAY + 1)).toMatchObject({ moved: 0, moving: true });
    expect(await dueKeys(orgId)).toHaveLength(3);
    for (const key of await dueKeys(orgId)) await moveSessionCalls(ctx, key);
    expect(await dueKeys(orgId)).toEqual([]);
    expect(await isConserved(orgId)).toBe(true);
  });

  it('move one at a time per process, so that another organization has the other place', async () => {
    const [many, few] = [await makeTenant(ctx), await makeTenant(ctx)];
    for (const [{ orgId }, names] of [
      [many, ['s-1', 's-2']],
      [few, ['s-1']],
    ] as const) {
      await recordEach(orgId, names, 600);
      await tellEach(orgId, names, NOW - 3 * DAY);
    }
    const [first = '', second = ''] = await dueKeys(many.orgId);
    const [other_ = ''] = await dueKeys(few.orgId);
    const worker: { ctx?: TestContext } = {};
    const meanwhile = async () => {
      const same = worker.ctx ?? ctx;
      expect(await moveSessionCalls(same, second)).toEqual({ notBeforeMs: NOW + 1_000 });
      expect(await moveSessionCalls(same, other_)).toBeUndefined();
    };
    worker.ctx = standingStillAfter(ctx, signalRows, meanwhile);
    await moveSessionCalls(worker.ctx, first);
    expect(await branches(few.orgId)).toEqual({ one: 600 });
    await moveSessionCalls(worker.ctx, second);
    expect(await branches(many.orgId)).toEqual({ one: 1_200 });
  });
});

async function bound(of: TestContext, orgId: string, branch: string, atMs: number) {
  const { hash } = plainName(ctx, orgId, branch);
  const recorded = await commitPlan(
    of,
    (transaction) =>
      planBoundaries(of, orgId, [{ repository: REPOSITORY, branch_hash: hash, atMs }], transaction),
    { onDuplicateKey: 'retry' },
  );
  rememberFacts(of, recorded);
  return recorded;
}

it.each([
  ['context', 'call', sessionHeadRows],
  ['context', 'context', signalRows],
  ['boundary', 'call', sessionHeadRows],
  ['boundary', 'boundary', signalRows],
])(
  'a call and a %s that are told at the same moment find each other where the %s waits',
  async (fact, waits, rows) => {
    const { orgId, sender } = await newSender();
    if (fact === 'boundary') await recordContexts(ctx, sender, [contextOf('one', NOW - 9 * DAY)]);
    await recordSignals(ctx, sender, calls(1, NOW - DAY));
    const atMs = NOW - 2 * DAY;
    const call = (by: TestContext) => recordSignals(by, sender, calls(1, NOW - DAY + 60_000));
    const tell = (by: TestContext) =>
      fact === 'context'
        ? recordContexts(by, sender, [contextOf('one', NOW - DAY)])
        : bound(by, orgId, 'one', atMs);
    const [waiting, beside] = waits === 'call' ? [call, tell] : [tell, call];
    await waiting(standingStillAfter(ctx, rows, () => beside(other)));
    await expectBranches(orgId, { one: 2 });
    if (fact === 'boundary') expect(await stretches(orgId)).toEqual({ [atMs]: 2 });
  },
);

describe('a boundary', () => {
  async function expectStretches(orgId: string, counts: Record<number, number>): Promise<void> {
    expect(await stretches(orgId)).toEqual(counts);
    expect(await isConserved(orgId)).toBe(true);
  }

  it('splits the stretch of its branch, before and after calls come, and moves nothing twice', async () => {
    const { orgId, sender } = await newSender();
    await recordContexts(ctx, sender, [contextOf('one', NOW - 9 * DAY)]);
    await recordSignals(ctx, sender, calls(900, NOW - 2 * DAY));
    const atMs = NOW - 2 * DAY + 200_000;
    const recorded = await bound(ctx, orgId, 'one', atMs);
    expect(recorded).toMatchObject({ moved: { context: 0, boundary: 500 }, moving: true });
    const due = await dueKeys(orgId, 'move-branch-calls');
    const killed = () => Promise.reject(new Error('killed'));
    for (const key of due) {
      await expect(moveBranchCalls(standingStillAfter(ctx, dueRows, killed), key)).rejects.toThrow('killed');
      await expectStretches(orgId, { 0: 400, [atMs]: 500 });
      await moveBranchCalls(other, key);
    }
    await expectStretches(orgId, { 0: 200, [atMs]: 700 });
    expect(await bound(other, orgId, 'one', atMs)).toMatchObject({ changed: null });
    await recordSignals(other, sender, calls(3, NOW - DAY));
    await bound(ctx, orgId, 'one', NOW - 5 * DAY);
    const before = NOW - 5 * DAY;
    await expectStretches(orgId, { [before]: 200, [atMs]: 703 });
  });

  it.each([
    [100_000, 300_000],
    [300_000, 100_000],
  ])(
    'divides its branch also where another one comes before all calls have moved: at %i, then at %i ms',
    async (...times) => {
      const { orgId, sender } = await newSender();
      const beganMs = NOW - 2 * DAY;
      await recordContexts(ctx, sender, [contextOf('one', NOW - 9 * DAY)]);
      await recordSignals(ctx, sender, calls(900, beganMs));
      for (const time of times)
        expect(await bound(ctx, orgId, 'one', beganMs + time)).toMatchObject({ moving: true });
      const due = await dueKeys(orgId, 'move-branch-calls');
      for (const key of due) await moveBranchCalls(ctx, key);
      await expectStretches(orgId, { 0: 100, [beganMs + 100_000]: 200, [beganMs + 300_000]: 600 });
    },
  );

  it('moves no call that is older than 35 days, however old it is itself', async () => {
    const { orgId, sender } = await newSender();
    const early = await openTestContext({ clock: createTestClock(NOW - 38 * DAY), sharing: ctx });
    await recordContexts(early, sender, [contextOf('one', NOW - 40 * DAY)]);
    await recordSignals(early, sender, calls(3, NOW - 39 * DAY));
    await early.close();
    await recordContexts(ctx, sender, [contextOf('one', NOW - 3 * DAY)]);
    await recordSignals(ctx, sender, calls(2, NOW - 2 * DAY));
    const before = NOW - 60 * DAY;
    expect(await bound(ctx, orgId, 'one', before)).toMatchObject({ moved: { boundary: 2 } });
    await expectStretches(orgId, { 0: 3, [before]: 2 });
  });
});

it('contexts of one client session are as many as it may have, and no call is lost to those beyond', async () => {
  const { orgId, sender } = await newSender();
  const many = Array.from({ length: CONTEXTS_PER_SESSION + 1 }, (_, index) =>
    contextOf('one', NOW - 9 * DAY + index),
  );
  // Those of one request count too.
  const { results } = await recordContexts(ctx, sender, many);
  expect(results.at(-2)).toEqual({ status: 'accepted' });
  const beyond = { status: 'rejected', code: 'too_many_contexts' };
  expect(results.at(-1)).toMatchObject(beyond);
  const later = await recordContexts(ctx, sender, [contextOf('one', NOW), ...many.slice(0, 1)]);
  expect(later.results).toMatchObject([beyond, { status: 'duplicate' }]);
  expect(await contextRows(ctx).countDocuments({ org_id: orgId })).toBe(CONTEXTS_PER_SESSION);
});
