import { beforeEach, describe, expect, test } from 'vitest';
import { commitPlan, type Plan, wakeAll } from '../../../../shared/platform/context/commit-plan.ts';
import { type Claim, claimDue, finishClaim } from '../../../../shared/platform/due/claim-due.ts';
import { dueJob, dueRows } from '../../../../shared/platform/due/model.ts';
import {
  clearDue,
  insertDue,
  raiseDue,
  readDue,
  setDue,
  wakeDue,
} from '../../../../shared/platform/due/plan-due.ts';
import { postponeDue } from '../../../../shared/platform/due/postpone-due.ts';
import { sweepDue } from '../../../../shared/platform/due/sweep-due.ts';
import { dueJobRow, oneOfOrganization } from '../../../../workers/job-row.ts';
import { storesFixture } from '../../../support/fixture.ts';
import { until } from '../../../support/harness.ts';
import { runWorkers } from '../../../support/run-workers.ts';

const START = Date.UTC(2026, 10, 21, 12);
const { ctx, clock } = await storesFixture({ clock: START });

const first = dueJob('first-kind');
const second = dueJob('second-kind');

const forgetJobs = async () => {
  await ctx.queues.drained();
  for (const { kind } of [first, second]) await ctx.queues.of(kind).obliterate({ force: true });
};
beforeEach(async () => {
  clock.set(START);
  await dueRows(ctx).deleteMany({});
  await forgetJobs();
});

/** Commits a plan; a transaction reads before it writes. */
async function commit(...plans: Plan[]): Promise<void> {
  await commitPlan(ctx, async (transaction) => {
    await dueRows(ctx).findOne({ _id: 'none' }, { session: transaction });
    const writes = plans.flatMap((plan) => plan.writes);
    return { writes, wakeUps: plans.flatMap((plan) => plan.wakeUps), result: undefined };
  });
}

async function jobsOf(kind: string): Promise<{ key: string; delay: number }[]> {
  await ctx.queues.drained();
  const jobs = await ctx.queues.of(kind).getJobs(['waiting', 'delayed']);
  return jobs.map(({ data, delay }) => ({ key: data.key, delay: delay ?? 0 }));
}

/** How many rows of each kind a sweep wakes. */
const swept = async () => Object.fromEntries(await sweepDue(ctx));
const due = (key: string, dueMs: number) => ({ key, orgId: 'org_1', dueMs });

describe('what is due', () => {
  test('is woken once by its commit, at its time', async () => {
    await commit(setDue(first, due('a', START + 20_000)));
    expect(await jobsOf('first-kind')).toEqual([{ key: 'a', delay: 20_000 }]);
    await commit(setDue(first, due('a', START + 20_000)));
    expect(await jobsOf('first-kind')).toHaveLength(1);
    expect(await readDue(ctx, first, 'a')).toMatchObject({ org_id: 'org_1', kind: 'first-kind' });
  });

  test('is woken by a sweep shortly before its time when that is far ahead', async () => {
    await commit(insertDue(first, due('a', START + 30_000)));
    await sweepDue(ctx);
    clock.advance(19_999);
    await sweepDue(ctx);
    expect(await jobsOf('first-kind')).toEqual([]);
    clock.advance(1);
    expect(await swept()).toEqual({});
    expect(await jobsOf('first-kind')).toEqual([{ key: 'a', delay: 10_000 }]);
    await forgetJobs();
    clock.advance(5_000);
    await sweepDue(ctx);
    expect(await jobsOf('first-kind')).toEqual([]);
  });

  test('is woken before its time also after the clock was set back', async () => {
    await sweepDue(ctx);
    clock.set(START - 3_600_000);
    await commit(insertDue(first, due('a', START - 3_600_000 + 30_000)));
    clock.advance(20_000);
    await sweepDue(ctx);
    expect(await jobsOf('first-kind')).toEqual([{ key: 'a', delay: 10_000 }]);
  });

  test('is there once: what is inserted twice fails, what is set takes its place', async () => {
    await commit(insertDue(first, due('a', START)));
    await expect(commit(insertDue(first, due('a', START + 1)))).rejects.toThrow('E11000');
    await commit(setDue(first, due('a', START + 2)));
    expect(await dueRows(ctx).countDocuments({ _id: 'first-kind a' })).toBe(1);
    expect((await readDue(ctx, first, 'a'))?.due_at.getTime()).toBe(START + 2);
  });

  test('may be cleared and inserted by one plan', async () => {
    await commit(insertDue(first, due('a', START)));
    await commit(
      { writes: [clearDue(first, 'a')], wakeUps: [] },
      insertDue(first, { ...due('a', START + 9), details: { session_id: 'ses_2' } }),
    );
    expect(await readDue(ctx, first, 'a')).toMatchObject({ session_id: 'ses_2' });
  });

  test('is found by one sweep of all kinds when its wake-up was lost, and not before', async () => {
    await commit(setDue(first, due('a', START + 5_000)), setDue(second, due('b', START + 5_000)));
    await forgetJobs();
    clock.advance(5_000);
    expect(await swept()).toEqual({});
    clock.advance(2_000);
    expect(await swept()).toEqual({ 'first-kind': 1, 'second-kind': 1 });
    expect(await jobsOf('first-kind')).toEqual([{ key: 'a', delay: 0 }]);
    expect(await jobsOf('second-kind')).toEqual([{ key: 'b', delay: 0 }]);
  });

  test.each([
    ['before their time: each sweep goes on behind the one before', 5_000, ['ab', 'abcd', 'abcde']],
    ['that are late: the oldest, until they are done', -5_000, ['ab', 'ab', 'ab']],
  ])('is woken by sweeps that read a few of those %s', async (_which, fromMs, woken) => {
    const own = { ...ctx, few: 2 };
    clock.set(START - 3_600_000);
    await sweepDue(own);
    const rows = ['e', 'd', 'c', 'b', 'a'].map((key, index) => due(key, START + fromMs - index * 100));
    await commit(...rows.map((row) => insertDue(first, row)));
    clock.set(START);
    for (const keys of woken) {
      await sweepDue(own);
      const jobs = (await jobsOf('first-kind')).map(({ key }) => key);
      expect(jobs.toSorted().join('')).toBe(keys);
    }
  });

  test('hides nothing of another kind, however much there is of it', async () => {
    const rows = Array.from({ length: 10_001 }, (_, index) => ({
      _id: `first-kind k${index}`,
      kind: 'first-kind',
      key: `k${index}`,
      org_id: 'org_1',
      due_at: new Date(START - 60_000 + index),
    }));
    await dueRows(ctx).insertMany(rows);
    await commit(setDue(second, due('young', START - 3_000)));
    expect(await swept()).toEqual({ 'first-kind': 2_000, 'second-kind': 1 });
  });
});

describe('what is raised by many', () => {
  const raise = (shard: number, least: number) =>
    raiseDue(first, { ...due('org', clock.now()), shard, least: { earliest: new Date(least) } });
  const claim = () =>
    claimDue<{ earliest: Date }>(ctx, first, 'org', (rows) => ({
      earliest: new Date(Math.min(...rows.map(({ earliest }) => earliest.getTime()))),
    }));

  const rows = () => dueRows(ctx).find({}).toArray();

  test('keeps the time since when it is due, and shares a wake-up within a slice of time', async () => {
    await commit(raise(0, 9));
    clock.advance(100);
    await commit(raise(0, 5));
    expect(await rows()).toMatchObject([{ due_at: new Date(START), earliest: new Date(5), touches: 2 }]);
    expect(await jobsOf('first-kind')).toHaveLength(1);
    clock.advance(250);
    await commit(raise(0, 7));
    expect(await jobsOf('first-kind')).toHaveLength(2);
  });

  test('is woken after the moment at which it is raised: its commit comes first', () => {
    const wokenMs = (dueMs: number) =>
      raiseDue(first, { key: 'k', orgId: 'org', dueMs }).wakeUps.map((wakeUp) => wakeUp.dueMs);
    expect([1_000, 1_001, 1_249, 1_250].map(wokenMs)).toEqual([[1_250], [1_250], [1_250], [1_500]]);
  });

  test('adds a wake-up once in a process, and again when its time is so near that it may be gone', async () => {
    clock.advance(1_000);
    const jobs: string[] = [];
    for (const aheadMs of [0, 200, 201, 249, 250]) {
      clock.set(START + 1_000 + aheadMs);
      await forgetJobs();
      await commit(raise(0, 9));
      if ((await jobsOf('first-kind')).length > 0) jobs.push(`after ${aheadMs} ms`);
    }
    expect(jobs).toEqual(['after 0 ms', 'after 201 ms', 'after 249 ms', 'after 250 ms']);
  });

  test('is claimed over all shards by one of two workers that claim at the same moment', async () => {
    await commit(raise(0, 9), raise(3, 4), raise(7, 6));
    const claims = await Promise.all([claim(), claim()]);
    expect(claims.filter((one) => one !== null)).not.toEqual([]);
    expect(await rows()).toMatchObject([{ _id: 'first-kind org/claimed', earliest: new Date(4) }]);
  });

  test('stays due when the last to claim it dies, though an earlier claim is finished', async () => {
    await commit(raise(0, 9));
    const earlier = (await claim()) as Claim<{ earliest: Date }>;
    await claim();
    await commit({ writes: [finishClaim(earlier)], wakeUps: [] });
    expect(await dueRows(ctx).countDocuments({})).toBe(1);
    clock.advance(2_000);
    expect(await swept()).toEqual({ 'first-kind': 1 });
  });

  test('stays due when it is raised while a claim is worked on', async () => {
    await commit(raise(0, 9));
    const claimed = (await claim()) as Claim<{ earliest: Date }>;
    await commit(raise(0, 3));
    await commit({ writes: [finishClaim(claimed)], wakeUps: [] });
    expect(await rows()).toMatchObject([{ earliest: new Date(3) }]);
    expect(await claim()).not.toBeNull();
  });
});

describe('work that fails', () => {
  test('is postponed with waits that grow up to five minutes', async () => {
    await commit(setDue(first, due('a', START)));
    const waits: number[] = [];
    for (let failure = 0; failure < 9; failure += 1) {
      await postponeDue(ctx, first, 'a');
      const dueMs = (await readDue(ctx, first, 'a'))?.due_at.getTime() ?? 0;
      waits.push((dueMs - clock.now()) / 1_000);
      clock.set(dueMs);
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  test('leaves alone what is not due yet', async () => {
    await commit(setDue(first, due('a', START + 1)));
    await postponeDue(ctx, first, 'a');
    expect((await readDue(ctx, first, 'a'))?.due_at.getTime()).toBe(START + 1);
  });

  test('does not starve the rest', async () => {
    const rows = ['bad-1', 'bad-2', 'good'].map((key, index) => setDue(first, due(key, START + index)));
    const done: string[] = [];
    const row = dueJobRow(first, {
      concurrency: 1,
      work: async (context, key) => {
        if (key.startsWith('bad')) throw new Error('always');
        await commitPlan(context, async (transaction) => {
          await dueRows(context).findOne({ _id: 'none' }, { session: transaction });
          return { writes: [clearDue(first, key)], wakeUps: [], result: undefined };
        });
        done.push(key);
      },
    });
    await commit(...rows);
    clock.advance(2_000 + rows.length);
    const end = await runWorkers(ctx, row);
    await until(
      async () => done.includes('good') && (await dueRows(ctx).countDocuments({ failures: 1 })) === 2,
    );
    expect(await swept()).toEqual({});
    clock.advance(10_000);
    expect(await swept()).toEqual({ 'first-kind': 2 });
    await end();
  });
});

test('what is woken while it is worked on takes one place, and is worked on once more', async () => {
  const release = Promise.withResolvers<void>();
  const begun: string[] = [];
  const row = dueJobRow(first, {
    concurrency: 2,
    work: async (_context, key) => {
      begun.push(key);
      if (key === 'slow' && begun.length === 1) await release.promise;
    },
  });
  const end = await runWorkers(ctx, row);
  const wake = (key: string, dueMs: number) => wakeAll(ctx, [wakeDue(first, key, dueMs)]);
  wake('slow', START);
  await until(async () => begun.length === 1, { what: 'the first run to begin' });
  for (const more of [1, 2, 3]) wake('slow', START - more);
  await ctx.queues.drained();
  wake('other', START);
  await until(async () => begun.includes('other'), { what: 'another key to be worked on' });
  release.resolve();
  await until(async () => begun.length > 2, { what: 'the second run' });
  await end();
  expect(begun).toEqual(['slow', 'other', 'slow']);
});

test.each(['ends', 'fails'])(
  'of several keys of an organization one is worked on at a time, and the next one has its turn once that %s',
  async (how) => {
    await commit(
      insertDue(first, due('a', START)),
      insertDue(first, due('b', START)),
      insertDue(first, { ...due('c', START), orgId: 'org_2' }),
      insertDue(second, due('d', START)),
    );
    const begun: string[] = [];
    const done = Promise.withResolvers<string>();
    const work = async (_context: unknown, key: string) => {
      begun.push(key);
      return key === 'a' && begun.length === 1 ? done.promise : 'done';
    };
    const run = oneOfOrganization(first, work);
    const slow = run(ctx, 'a');
    await until(async () => begun.length === 1, { what: 'the first key to be worked on' });
    expect(await run(ctx, 'b')).toEqual({ notBeforeMs: START + 1_000 });
    expect([await run(ctx, 'c'), await oneOfOrganization(second, work)(ctx, 'd')]).toEqual(['done', 'done']);
    if (how === 'ends') done.resolve('done');
    else done.reject(new Error('failed'));
    expect((await Promise.allSettled([slow]))[0]?.status).toBe(how === 'ends' ? 'fulfilled' : 'rejected');
    expect([await run(ctx, 'b'), await run(ctx, 'a')]).toEqual(['done', 'done']);
    expect(begun).toEqual(['a', 'c', 'd', 'b', 'a']);
  },
);
