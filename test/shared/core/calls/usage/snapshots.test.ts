import { beforeAll, describe, expect, it } from 'vitest';
import type { Organization } from '../../../../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../../../../shared/core/accounts/organizations/read-organization.ts';
import { createGrouping, unpackCells } from '../../../../../shared/core/calls/usage/cells.ts';
import { makeSnapshotsJob } from '../../../../../shared/core/calls/usage/jobs.ts';
import { cellOf, makeSnapshots, snapshotOf } from '../../../../../shared/core/calls/usage/make-snapshots.ts';
import {
  ROLLUP_DIMENSIONS,
  type Rollup,
  rollupRows,
  snapshotRows,
  TOTAL_DIMENSIONS,
} from '../../../../../shared/core/calls/usage/model.ts';
import { readUsage, type UsageQuestion } from '../../../../../shared/core/calls/usage/read-usage.ts';
import { reconcileUsage } from '../../../../../shared/core/calls/usage/reconcile-usage.ts';
import { encode } from '../../../../../shared/wings/exports/encode.ts';
import { exportUsage } from '../../../../../shared/wings/exports/export-usage.ts';
import { makeSnapshots as makeSnapshotsRow } from '../../../../../workers/index.ts';
import { makeTenant } from '../../../../support/factories.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { createTestClock, openTestContext } from '../../../../support/harness.ts';
import { pick, seeded } from '../../../../support/random.ts';
import { recordAll } from '../../../../support/usage.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const DAY = 86_400_000;
const SEED = 60_001;
const random = seeded(SEED);
const USERS = ['ada', 'bob', 'c,"y', 'dan', 'eve', 'fay', 'gus'];
const MODELS = ['gpt-5', 'claude-sonnet-4-5', 'unheard-of'];
const { ctx, clock } = await storesFixture({ clock: NOW });
let organization: Organization;
let spare: Organization;

beforeAll(async () => {
  organization = await populate(400);
  spare = await populate(20);
});

async function populate(count: number): Promise<Organization> {
  const { orgId } = await makeTenant(ctx, { timezone: 'America/New_York' });
  await recordAll(
    ctx,
    orgId,
    Array.from({ length: count }, () => madeUp(NOW - random() * 34.9 * DAY)),
  );
  return readOrganization(ctx, orgId);
}

function madeUp(atMs: number) {
  return {
    ts: Math.floor(atMs),
    user_id: pick(random, USERS),
    project_id: pick(random, ['alpha', 'beta']),
    model: pick(random, MODELS),
    tokens_in: Math.floor(random() * 10_000),
  };
}

const rest = { interval: 'none', filter: {}, groupBy: [] } as const;
const QUESTIONS: readonly UsageQuestion[] = [
  { ...rest, groupBy: ['user_id'] },
  { ...rest, groupBy: ['user_id', 'model'], fromMs: NOW - 31 * DAY, toMs: NOW - 2 * DAY },
  { ...rest, groupBy: ['project_id'], interval: 'day', filter: { model: 'gpt-5' } },
  { ...rest, interval: 'week', timezone: 'Asia/Kathmandu', filter: { project_id: 'beta' } },
  { ...rest, groupBy: ['team'], interval: 'month', filter: { project_id: 'alpha', adapter: 'claude-code' } },
  { ...rest, filter: { user_id: 'ada' }, groupBy: ['model'] },
  { ...rest, groupBy: ['model', 'adapter'], interval: 'day', filter: { adapter: 'claude-code' } },
  { ...rest, interval: 'month' },
];

/** Everything that may be answered from snapshots. */
async function answers(): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const question of QUESTIONS) all.push(await readUsage(ctx, organization, question));
  for (const filter of [{}, { model: 'gpt-5' }])
    all.push(await exported({ fromMs: NOW - 34 * DAY, filter, timezone: undefined }));
  all.push(await exported({ fromMs: NOW - 34 * DAY, filter: {}, timezone: 'Asia/Tokyo' }));
  return all;
}

async function exported(asked: { fromMs: number; filter: object; timezone: string | undefined }) {
  const { columns, rows } = exportUsage(ctx, organization, { level: 'daily', ...asked });
  let text = '';
  for await (const part of encode('ndjson', columns, rows)) text += part;
  return text.split('\n').sort();
}

/** How many questions went to the rollups while `work` ran. */
async function countReads(work: () => Promise<unknown>): Promise<number> {
  const collection = rollupRows(ctx);
  const aggregate = collection.aggregate.bind(collection);
  const find = collection.find.bind(collection);
  let reads = 0;
  const counted = {
    aggregate: (...args: Parameters<typeof aggregate>) => {
      reads += 1;
      return aggregate(...args);
    },
    find: (...args: Parameters<typeof find>) => {
      reads += 1;
      return find(...args);
    },
  };
  Object.assign(collection, counted);
  try {
    await work();
  } finally {
    Object.assign(collection, { aggregate, find });
  }
  return reads;
}

const CLOSED = {
  ...rest,
  groupBy: ['user_id'],
  fromMs: Date.parse('2026-03-20T04:00:00Z'),
  toMs: Date.parse('2026-04-05T04:00:00Z'),
} as const;

const HOURS = { ...CLOSED, groupBy: [], interval: 'hour' } as const;

/** Makes what may be made, as the scheduled job does. */
function make(of: Organization): Promise<number> {
  return makeSnapshots(ctx, of, { fromMs: 0, toMs: ctx.clock.now() });
}

describe('snapshots', () => {
  it('answer as the rollups do, whatever is asked, and late signals count at once', async () => {
    const without = await answers();
    expect(await countReads(() => readUsage(ctx, organization, CLOSED))).toBeGreaterThan(0);
    expect(await make(organization)).toBeGreaterThan(34);
    expect(await answers(), `seed ${SEED}`).toEqual(without);
    expect(await countReads(() => readUsage(ctx, organization, CLOSED))).toBe(0);
    expect(await countReads(() => readUsage(ctx, organization, { ...CLOSED, groupBy: [] }))).toBe(0);
    const before = await readUsage(ctx, organization, CLOSED);
    for (let round = 0; round < 3; round += 1) {
      const late = { ...madeUp(CLOSED.fromMs + random() * (CLOSED.toMs - CLOSED.fromMs)), user_id: 'late' };
      await recordAll(ctx, organization._id, [late]);
      const after = await readUsage(ctx, organization, CLOSED);
      expect(after.totals.signals).toBe(before.totals.signals + round + 1);
      expect(after.groups.find(({ key }) => key.user_id === 'late')?.signals).toBe(round + 1);
      const total = await readUsage(ctx, organization, { ...CLOSED, groupBy: [], interval: 'day' });
      expect(total.totals).toEqual(after.totals);
      expect((await readUsage(ctx, organization, HOURS)).totals).toEqual(after.totals);
      expect(await countReads(() => readUsage(ctx, organization, HOURS))).toBe(0);
    }
    const withLate = await answers();
    await make(organization);
    expect(await answers(), `seed ${SEED}`).toEqual(withLate);
    await snapshotRows(ctx).deleteMany({ org_id: organization._id });
    expect(await answers(), `seed ${SEED}`).toEqual(withLate);
  });

  it('are made once, and again for the days and months that a late signal changed', async () => {
    await make(spare);
    expect(await make(spare)).toBe(0);
    await recordAll(ctx, spare._id, [madeUp(NOW - 3 * DAY), madeUp(NOW - 3 * DAY)]);
    const stale = { org_id: spare._id, is_stale: true };
    expect(await snapshotRows(ctx).countDocuments(stale)).toBe(1);
    expect(await make(spare)).toBe(1);
    await recordAll(ctx, spare._id, [madeUp(NOW - 20 * DAY)]);
    const periods = await snapshotRows(ctx).find(stale).toArray();
    expect(periods.map(({ period }) => period).sort()).toEqual(['day', 'month']);
    expect(await make(spare)).toBe(2);
    expect(await reconcileUsage(ctx, spare, { repair: false })).toMatchObject({ wrong: 0 });
  });

  it('are made 10 minutes after the end, when no signal that saw the period open can still commit', async () => {
    const other = await populate(5);
    const midnight = Date.parse('2026-04-11T04:00:00Z');
    const madeAt = (atMs: number) => {
      clock.set(atMs);
      return makeSnapshots(ctx, other, { fromMs: midnight - 1, toMs: midnight });
    };
    expect(await madeAt(midnight + 599_999)).toBe(0);
    expect(await madeAt(midnight + 600_000)).toBe(1);
    clock.set(NOW);
  });

  it('count a late signal that a process records whose clock says that the day and the month go on', async () => {
    const other = await populate(5);
    const monthEnd = Date.parse('2026-05-01T04:00:00Z');
    const question = { ...rest, fromMs: monthEnd - 30 * DAY, toMs: monthEnd, groupBy: ['user_id'] } as const;
    const counted = async () => {
      const day = await readUsage(ctx, other, { ...question, fromMs: monthEnd - DAY });
      const month = await readUsage(ctx, other, question);
      const hours = await readUsage(ctx, other, { ...HOURS, fromMs: monthEnd - DAY, toMs: monthEnd });
      return [day, month, hours].map(({ totals }) => totals.signals);
    };
    clock.set(monthEnd + 11 * 60_000);
    const behind = await openTestContext({
      clock: createTestClock(clock.now() - 59 * 60_000),
      sharing: ctx,
    });
    await make(other);
    const before = await counted();
    await recordAll(behind, other._id, [madeUp(monthEnd - 3_600_000)]);
    expect(await counted()).toEqual(before.map((signals) => signals + 1));
    await make(other);
    expect(await counted()).toEqual(before.map((signals) => signals + 1));
    expect(await reconcileUsage(ctx, other, { repair: false })).toMatchObject({ wrong: 0 });
    await behind.close();
    clock.set(NOW);
  });

  it('miss no signal that is recorded while they are made', async () => {
    const busy = await populate(30);
    const closed = { fromMs: Date.parse('2026-04-07T04:00:00Z'), toMs: Date.parse('2026-04-09T04:00:00Z') };
    let isDone = false;
    const making = (async () => {
      while (!isDone) await makeSnapshots(ctx, busy, closed);
    })();
    const counted = async () =>
      (await readUsage(ctx, busy, { ...rest, groupBy: ['model'], ...closed })).totals.signals;
    const before = await counted();
    for (let round = 0; round < 25; round += 1) {
      await recordAll(ctx, busy._id, [madeUp(closed.fromMs + random() * 2 * DAY)]);
      expect(await counted(), `round ${round}`).toBe(before + round + 1);
    }
    isDone = true;
    await making;
    await makeSnapshots(ctx, busy, closed);
    expect(await counted()).toBe(before + 25);
    expect(await reconcileUsage(ctx, busy, { repair: false })).toMatchObject({ wrong: 0 });
  });

  it('are made by a worker soon after a question that missed them', async () => {
    const queue = ctx.queues.of(makeSnapshotsJob.kind);
    await ctx.queues.drained();
    await queue.drain();
    const fresh = await populate(10);
    await readUsage(ctx, fresh, CLOSED);
    await ctx.queues.drained();
    const [waiting] = await queue.getWaiting();
    await makeSnapshotsRow.handle(waiting?.data, ctx);
    expect(await countReads(() => readUsage(ctx, fresh, CLOSED))).toBe(0);
  });

  it('name the quarter hours too: a process that remembers what a repair changes reads it again', async () => {
    const wrong = {
      org_id: spare._id,
      period: 'quarter_hour',
      start: { $gte: new Date(HOURS.fromMs) },
    } as const;
    const row = await rollupRows(ctx).findOne({
      ...wrong,
      start: { ...wrong.start, $lt: new Date(HOURS.toMs) },
    });
    const right = await readUsage(ctx, spare, HOURS);
    await rollupRows(ctx).updateOne({ _id: row?._id ?? '' }, { $inc: { signals: 5 } });
    await snapshotRows(ctx).updateMany({ org_id: spare._id }, { $inc: { version: 1 } });
    expect((await readUsage(ctx, spare, HOURS)).totals.signals).toBe(right.totals.signals + 5);
    await reconcileUsage(ctx, spare, { repair: true });
    expect(await readUsage(ctx, spare, HOURS)).toEqual(right);
  });

  it('hold nothing where the rows are too many for one document, and then the rollups answer', () => {
    const wide = 'x'.repeat(250);
    const rollups = Array.from({ length: 60_000 }, (_, index) => rollupOf(index, 1, `${wide}${index}`));
    const { totals, cells } = snapshotOf('org', { period: 'day', fromMs: 0 }, rollups.map(cellOf), 1);
    expect(cells).toBeNull();
    expect(totals).not.toBeNull();
  });

  it('add money beyond 2^53 nano-USD exactly, and take it away again', () => {
    const nusd = [2 ** 53 - 1, 2 ** 53 - 3, 7];
    const rollups = nusd.map((cost_nusd, index) => rollupOf(index, cost_nusd, `u${index}`));
    const snapshot = snapshotOf('org', { period: 'day', fromMs: 0 }, rollups.map(cellOf), 1);
    const sum = nusd.reduce((all, one) => all + BigInt(one), 0n);
    for (const [dimensions, stored] of [
      [ROLLUP_DIMENSIONS, snapshot.cells],
      [TOTAL_DIMENSIONS, snapshot.totals],
    ] as const) {
      if (!stored) throw new Error('No table');
      const grouping = createGrouping(['model']);
      const cells = [...unpackCells(dimensions, stored)];
      for (const _ of nusd) for (const cell of cells) grouping.add(cell);
      const costs = () => grouping.rows.map(({ sums }) => sums.cost_nusd);
      expect(costs()).toEqual([sum * 3n]);
      for (const _ of nusd) for (const cell of cells) grouping.add(cell, 0, -1);
      expect(costs()).toEqual([0n]);
    }
  });

  it('export what has several providers as one row, a hundred at a time', async () => {
    const { orgId } = await makeTenant(ctx, {});
    const users = 250;
    const cells = Array.from({ length: 3 * users }, (_, index) => {
      const provider = ['', 'azure', 'bedrock'][index % 3] ?? '';
      return { ...cellOf(rollupOf(index, index, `user-${Math.floor(index / 3)}`)), provider };
    });
    const fromMs = Date.parse('2026-03-20T00:00:00Z');
    await snapshotRows(ctx).insertOne(snapshotOf(orgId, { period: 'day', fromMs }, cells, 1));
    const asked = { level: 'daily', fromMs, toMs: fromMs + DAY, filter: {}, timezone: undefined } as const;
    const { rows } = exportUsage(ctx, await readOrganization(ctx, orgId), asked);
    const batches = await Array.fromAsync(rows);
    expect(batches.map(({ length }) => length)).toEqual([100, 100, 50]);
    const costs = new Map(batches.flat().map((row) => [row[1], row[13]]));
    const costOf = (user: number) => BigInt(9 * user + 3);
    expect(costs).toEqual(
      new Map(Array.from({ length: users }, (_, user) => [`user-${user}`, costOf(user)])),
    );
  });
});

function rollupOf(index: number, cost_nusd: number, user_id: string): Rollup {
  const zeros = { sessions: 0, signals: 1, errors: 0, interventions: 0, tokens_in: 0, tokens_out: 0 };
  const others = { cache_read_tokens: 0, cache_write_tokens: 0, unpriced_signals: 0 };
  const of = { user_id, project_id: 'p', model: 'm', adapter: 'a' };
  const row = { _id: `${index}`, org_id: 'org', period: 'day' as const, start: new Date(0), ...of };
  return { ...row, ...zeros, ...others, cost_nusd };
}
