import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { voidSignals } from '../../shared/core/calls/ingest/void-signals.ts';
import { sessionHeadRows } from '../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { CONTEXTS_PER_SESSION } from '../../shared/platform/basics/contract.ts';
import { commitPlan } from '../../shared/platform/context/commit-plan.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { contextRows, sessionWorkRows, workRows } from '../../shared/wings/work/attribution/model.ts';
import { plainName } from '../../shared/wings/work/attribution/names.ts';
import { recordContexts } from '../../shared/wings/work/contexts/record-contexts.ts';
import { moveSessionCallsJob } from '../../shared/wings/work/moves/jobs.ts';
import { moveBranchCalls, moveSessionCalls } from '../../shared/wings/work/moves/move-calls.ts';
import { rememberFacts } from '../../shared/wings/work/moves/plan-facts.ts';
import { planBoundaries } from '../../shared/wings/work/moves/record-boundaries.ts';
import { makeSignal, makeTenant, senderOf } from '../support/factories.ts';
import { storesFixture } from '../support/fixture.ts';
import { createTestClock, openTestContext, type TestContext } from '../support/harness.ts';
import { standingStillAfter } from '../support/interleave.ts';

const NOW = Date.parse('2026-11-24T12:00:00Z');
const DAY = 86_400_000;
const REPOSITORY = 'github.com/acme/shop';
const { ctx, clock } = await storesFixture({ clock: NOW });
/** Another process on the same data. */
let other: TestContext;
beforeAll(async () => {
  other = await openTestContext({ clock, sharing: ctx });
});
afterAll(() => other.close());

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

/** How many calls of an organization each branch has. */
async function branches(orgId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const works = new Map((await workRows(ctx).find({ org_id: orgId }).toArray()).map((row) => [row._id, row]));
  for await (const { work = '' } of signalRows(ctx).find({ org_id: orgId })) {
    const branch = works.get(work)?.branch?.text ?? 'none';
    counts[branch] = (counts[branch] ?? 0) + 1;
  }
  return counts;
}

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

async function dueKeys(orgId: string): Promise<string[]> {
  const rows = await dueRows(ctx).find({ kind: moveSessionCallsJob.kind, org_id: orgId }).toArray();
  return rows.map(({ key }) => key);
}

describe('a context that concerns more calls than one transaction moves', () => {
  it('moves all of them by a worker that is killed between any two transactions and goes on', async () => {
    const { orgId, sender } = await newSender();
    for (const part of [0, 1]) await recordSignals(ctx, sender, calls(950, NOW - 2 * DAY + part * 950_000));
    const told = await recordContexts(ctx, sender, [contextOf('one', NOW - 3 * DAY)]);
    expect(told).toMatchObject({ moved: 500, moving: true });
    expect(await branches(orgId)).toEqual({ one: 500, none: 1_400 });
    expect(await isConserved(orgId)).toBe(true);
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
      expect(await branches(orgId)).toEqual({ one, none: 1_900 - one });
      expect(await isConserved(orgId)).toBe(true);
    }
    await moveSessionCalls(other, key);
    expect(await branches(orgId)).toEqual({ one: 1_900 });
    expect(await isConserved(orgId)).toBe(true);
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
      expect(await branches(orgId)).toEqual(counts);
      expect(await isConserved(orgId)).toBe(true);
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
    expect(await branches(orgId)).toEqual({ one: 56 });
    expect(await isConserved(orgId)).toBe(true);
  });
});

/** Calls of a client session of its own. */
function callsOf(client_session_id: string, count: number): Record<string, unknown>[] {
  return calls(count, NOW - 2 * DAY).map((call) => ({ ...call, metadata: { client_session_id } }));
}

describe('contexts of many client sessions', () => {
  it('look at 2,000 calls in their transaction, and leave the others to workers', async () => {
    const { orgId, sender } = await newSender();
    const names = Array.from({ length: 6 }, (_, index) => `s-${index}`);
    for (const name of names) await recordSignals(ctx, sender, callsOf(name, 500));
    const context = (name: string, ts: number) => ({ ...contextOf('one', ts), client_session_id: name });
    const tell = (ts: number) =>
      recordContexts(
        ctx,
        sender,
        names.map((name) => context(name, ts)),
      );
    expect(await tell(NOW - 3 * DAY)).toMatchObject({ moved: 500, moving: true });
    for (const key of await dueKeys(orgId)) await moveSessionCalls(ctx, key);
    expect(await branches(orgId)).toEqual({ one: 3_000 });
    // The same again: nothing is to be moved, and as much to be looked at.
    expect(await tell(NOW - 3 * DAY + 1)).toMatchObject({ moved: 0, moving: true });
    expect(await dueKeys(orgId)).toHaveLength(3);
    for (const key of await dueKeys(orgId)) await moveSessionCalls(ctx, key);
    expect(await dueKeys(orgId)).toEqual([]);
    expect(await isConserved(orgId)).toBe(true);
  });

  it('move one at a time per process, so that another organization has the other place', async () => {
    const [many, few] = [await makeTenant(ctx), await makeTenant(ctx)];
    for (const { orgId, names } of [
      { orgId: many.orgId, names: ['s-1', 's-2'] },
      { orgId: few.orgId, names: ['s-1'] },
    ]) {
      for (const name of names) await recordSignals(ctx, senderOf(orgId), callsOf(name, 600));
      const contexts = names.map((name) => ({
        ...contextOf('one', NOW - 3 * DAY),
        client_session_id: name,
      }));
      await recordContexts(ctx, senderOf(orgId), contexts);
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

describe('a voided call', () => {
  it('keeps its session in no list of a work, once the last other call of it has moved, and moves no count with it', async () => {
    const { orgId, sender } = await newSender();
    await recordContexts(ctx, sender, [contextOf('one', NOW - 3 * DAY)]);
    const [wrong, right] = calls(2, NOW - 2 * DAY);
    const [recorded] = await recordSignals(ctx, sender, [wrong, right]);
    const sessionId = recorded?.status === 'accepted' ? recorded.session_id : '';
    await voidSignals(ctx, orgId, { sessionId, signalIds: [String(wrong?.id)], reason: 'wrong' });
    expect(await sessionWorkRows(ctx).countDocuments({ org_id: orgId })).toBe(1);
    await recordContexts(ctx, sender, [contextOf('two', NOW - 2 * DAY + 500)]);
    expect(await branches(orgId)).toEqual({ one: 1, two: 1 });
    const rows = await sessionWorkRows(ctx).find({ org_id: orgId }).toArray();
    const work = await workRows(ctx).findOne({ _id: rows[0]?.work ?? '' });
    expect([rows.length, work?.branch?.text]).toEqual([1, 'two']);
    expect(await isConserved(orgId)).toBe(true);
    // A context that moves the voided call: it counts on no branch, neither less nor more.
    await recordContexts(ctx, sender, [contextOf('three', NOW - 2 * DAY - 500)]);
    expect(await branches(orgId)).toEqual({ three: 1, two: 1 });
    expect(await isConserved(orgId)).toBe(true);
  });

  it('that stays keeps its session in no list of its work, once the last other call of it has moved', async () => {
    const { orgId, sender } = await newSender();
    await recordContexts(ctx, sender, [contextOf('one', NOW - 3 * DAY)]);
    const [placed, told] = calls(2, NOW - 2 * DAY);
    const wrong = { ...placed, repository: REPOSITORY, branch: 'one' };
    const [recorded] = await recordSignals(ctx, sender, [wrong, told]);
    const sessionId = recorded?.status === 'accepted' ? recorded.session_id : '';
    await voidSignals(ctx, orgId, { sessionId, signalIds: [String(placed?.id)], reason: 'wrong' });
    await recordContexts(ctx, sender, [contextOf('two', NOW - 2 * DAY - 500)]);
    expect(await branches(orgId)).toEqual({ one: 1, two: 1 });
    expect(await isConserved(orgId)).toBe(true);
  });
});

describe('a call and a context that are told at the same moment', () => {
  it('find each other when the context commits while the call waits for its commit', async () => {
    const { orgId, sender } = await newSender();
    await recordSignals(ctx, sender, calls(1, NOW - DAY));
    const context = () => recordContexts(other, sender, [contextOf('one', NOW - DAY)]);
    const slow = standingStillAfter(ctx, sessionHeadRows, context);
    await recordSignals(slow, sender, calls(1, NOW - DAY + 60_000));
    expect(await branches(orgId)).toEqual({ one: 2 });
    expect(await isConserved(orgId)).toBe(true);
  });

  it('find each other when the call commits while the context waits for its commit', async () => {
    const { orgId, sender } = await newSender();
    await recordSignals(ctx, sender, calls(1, NOW - DAY));
    const call = () => recordSignals(other, sender, calls(1, NOW - DAY + 60_000));
    const slow = standingStillAfter(ctx, signalRows, call);
    await recordContexts(slow, sender, [contextOf('one', NOW - DAY)]);
    expect(await branches(orgId)).toEqual({ one: 2 });
    expect(await isConserved(orgId)).toBe(true);
  });
});

describe('a boundary', () => {
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

  /** How many calls each stretch of the branches has, by its beginning. */
  async function stretches(orgId: string): Promise<Record<number, number>> {
    const counts: Record<number, number> = {};
    const works = new Map(
      (await workRows(ctx).find({ org_id: orgId }).toArray()).map((row) => [row._id, row]),
    );
    for await (const { work = '' } of signalRows(ctx).find({ org_id: orgId })) {
      const since = works.get(work)?.since ?? -1;
      counts[since] = (counts[since] ?? 0) + 1;
    }
    return counts;
  }

  it('splits the stretch of its branch, before and after calls come, and moves nothing twice', async () => {
    const { orgId, sender } = await newSender();
    await recordContexts(ctx, sender, [contextOf('one', NOW - 9 * DAY)]);
    await recordSignals(ctx, sender, calls(900, NOW - 2 * DAY));
    const atMs = NOW - 2 * DAY + 200_000;
    const recorded = await bound(ctx, orgId, 'one', atMs);
    expect(recorded).toMatchObject({ moved: { context: 0, boundary: 500 }, moving: true });
    const due = await dueRows(ctx).find({ kind: 'move-branch-calls', org_id: orgId }).toArray();
    const killed = () => Promise.reject(new Error('killed'));
    for (const { key } of due) {
      await expect(moveBranchCalls(standingStillAfter(ctx, dueRows, killed), key)).rejects.toThrow('killed');
      expect(await stretches(orgId)).toEqual({ 0: 400, [atMs]: 500 });
      expect(await isConserved(orgId)).toBe(true);
      await moveBranchCalls(other, key);
    }
    expect(await stretches(orgId)).toEqual({ 0: 200, [atMs]: 700 });
    expect(await bound(other, orgId, 'one', atMs)).toMatchObject({ changed: null });
    await recordSignals(other, sender, calls(3, NOW - DAY));
    await bound(ctx, orgId, 'one', NOW - 5 * DAY);
    const before = NOW - 5 * DAY;
    expect(await stretches(orgId)).toEqual({ [before]: 200, [atMs]: 703 });
    expect(await isConserved(orgId)).toBe(true);
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
      const due = await dueRows(ctx).find({ kind: 'move-branch-calls', org_id: orgId }).toArray();
      for (const { key } of due) await moveBranchCalls(ctx, key);
      expect(await stretches(orgId)).toEqual({ 0: 100, [beganMs + 100_000]: 200, [beganMs + 300_000]: 600 });
      expect(await isConserved(orgId)).toBe(true);
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
    expect(await stretches(orgId)).toEqual({ 0: 3, [before]: 2 });
  });

  it.each(['call', 'boundary'])(
    'and a call that are told at the same moment find each other (%s waits)',
    async (who) => {
      const { orgId, sender } = await newSender();
      await recordContexts(ctx, sender, [contextOf('one', NOW - 9 * DAY)]);
      await recordSignals(ctx, sender, calls(1, NOW - DAY));
      const atMs = NOW - 2 * DAY;
      const record = (of: TestContext) => recordSignals(of, sender, calls(1, NOW - DAY + 60_000));
      if (who === 'call')
        await record(standingStillAfter(ctx, sessionHeadRows, () => bound(other, orgId, 'one', atMs)));
      else
        await bound(
          standingStillAfter(ctx, signalRows, () => record(other)),
          orgId,
          'one',
          atMs,
        );
      expect(await stretches(orgId)).toEqual({ [atMs]: 2 });
      expect(await isConserved(orgId)).toBe(true);
    },
  );
});

describe('contexts', () => {
  it('of one client session are as many as it may have, and no call is lost to those beyond', async () => {
    const { orgId, sender } = await newSender();
    for (let from = 0; from < 2_000; from += 500)
      await recordContexts(
        ctx,
        sender,
        Array.from({ length: 500 }, (_, index) => contextOf('one', NOW - 9 * DAY + from + index)),
      );
    const { results } = await recordContexts(ctx, sender, [
      contextOf('one', NOW),
      contextOf('one', NOW - 9 * DAY),
    ]);
    expect(results).toMatchObject([
      { status: 'rejected', code: 'too_many_contexts' },
      { status: 'duplicate' },
    ]);
    expect(await contextRows(ctx).countDocuments({ org_id: orgId })).toBe(2_000);
  });

  it('of one request count towards the most of their client session', async () => {
    const { orgId } = await makeTenant(ctx);
    const posted = Array.from({ length: CONTEXTS_PER_SESSION + 1 }, (_, index) =>
      contextOf('one', NOW - 9 * DAY + index),
    );
    const { results } = await recordContexts(ctx, senderOf(orgId), posted);
    expect(results.at(-2)).toEqual({ status: 'accepted' });
    expect(results.at(-1)).toMatchObject({ status: 'rejected', code: 'too_many_contexts' });
    expect(await contextRows(ctx).countDocuments({ org_id: orgId })).toBe(CONTEXTS_PER_SESSION);
  });
});
