import { describe, expect, it } from 'vitest';
import type { Organization } from '../../../../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../../../../shared/core/accounts/organizations/read-organization.ts';
import { voidSignals } from '../../../../../shared/core/calls/ingest/void-signals.ts';
import { sessionRows } from '../../../../../shared/core/calls/sessions/model.ts';
import { type Signal, signalRows } from '../../../../../shared/core/calls/signals/model.ts';
import {
  createGrouping,
  packEarlierCells,
  unpackCells,
} from '../../../../../shared/core/calls/usage/cells.ts';
import { makeSnapshotsJob } from '../../../../../shared/core/calls/usage/jobs.ts';
import { cellOf, makeSnapshots, snapshotOf } from '../../../../../shared/core/calls/usage/make-snapshots.ts';
import {
  ROLLUP_DIMENSIONS,
  type Rollup,
  rollupRows,
  snapshotRows,
  TOTAL_DIMENSIONS,
} from '../../../../../shared/core/calls/usage/model.ts';
import { rollupKey } from '../../../../../shared/core/calls/usage/plan-rollups.ts';
import { readUsage, type UsageQuestion } from '../../../../../shared/core/calls/usage/read-usage.ts';
import { reconcileUsage } from '../../../../../shared/core/calls/usage/reconcile-usage.ts';
import { splitRange } from '../../../../../shared/core/calls/usage/split-range.ts';
import { sumRollups } from '../../../../../shared/core/calls/usage/sum-rollups.ts';
import { countedProvider, providerOf } from '../../../../../shared/core/pricing/provider-of.ts';
import { inTransaction } from '../../../../../shared/platform/mongo/transaction.ts';
import { exportUsage } from '../../../../../shared/wings/exports/export-usage.ts';
import { makeSnapshots as makeSnapshotsRow } from '../../../../../workers/index.ts';
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
const { ctx, clock, tenant } = await storesFixture({ clock: NOW });

async function populate(count: number): Promise<Organization> {
  const { orgId, record } = await tenant({ timezone: 'America/New_York' });
  await record(...Array.from({ length: count }, () => madeUp(NOW - random() * 34.9 * DAY)));
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

const spare = await populate(20);

/** How many questions went to the rollups while `work` ran. */
async function countReads(work: () => Promise<unknown>): Promise<number> {
  const client = ctx.db.connection.getClient();
  let reads = 0;
  const note = ({ command }: { command: Record<string, unknown> }) => {
    if (command.find === 'rollups' || command.aggregate === 'rollups') reads += 1;
  };
  client.on('commandStarted', note);
  await work();
  client.off('commandStarted', note);
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

async function expectNoneWrong(organization: Organization): Promise<void> {
  expect(await reconcileUsage(ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
}

describe('snapshots', () => {
  it('answer in place of the rollups, also after late signals, which count at once', async () => {
    const organization = await populate(100);
    const ask = (more: Partial<UsageQuestion>) => readUsage(ctx, organization, { ...CLOSED, ...more });
    const total = { groupBy: [] };
    const byRollups = [await ask({}), await ask(total), await ask(HOURS)];
    expect(await countReads(() => ask({}))).toBeGreaterThan(0);
    expect(await make(organization)).toBeGreaterThan(34);
    expect([await ask({}), await ask(total), await ask(HOURS)]).toEqual(byRollups);
    for (const asked of [{}, total, HOURS]) expect(await countReads(() => ask(asked))).toBe(0);
    const before = await ask({});
    for (let round = 1; round <= 3; round += 1) {
      const late = { ...madeUp(CLOSED.fromMs + random() * (CLOSED.toMs - CLOSED.fromMs)), user_id: 'late' };
      await recordAll(ctx, organization._id, [late]);
      const after = await ask({});
      expect(after.totals.signals).toBe(before.totals.signals + round);
      expect(after.groups.find(({ key }) => key.user_id === 'late')?.signals).toBe(round);
      for (const asked of [{ groupBy: [], interval: 'day' } as const, HOURS])
        expect((await ask(asked)).totals).toEqual(after.totals);
      expect(await countReads(() => ask(HOURS))).toBe(0);
    }
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
    await expectNoneWrong(spare);
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
    const hourAgo = createTestClock(clock.now() - 59 * 60_000);
    const behind = await openTestContext({ clock: hourAgo, sharing: ctx });
    await make(other);
    const before = await counted();
    await recordAll(behind, other._id, [madeUp(monthEnd - 3_600_000)]);
    expect(await counted()).toEqual(before.map((signals) => signals + 1));
    await make(other);
    expect(await counted()).toEqual(before.map((signals) => signals + 1));
    await expectNoneWrong(other);
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
    await expectNoneWrong(busy);
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
    const start = { $gte: new Date(HOURS.fromMs), $lt: new Date(HOURS.toMs) };
    const row = await rollupRows(ctx).findOne({ org_id: spare._id, period: 'quarter_hour', start });
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
    const { orgId } = await tenant();
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
    const expected = Array.from({ length: users }, (_, user) => [`user-${user}`, costOf(user)] as const);
    expect(costs).toEqual(new Map(expected));
  });
});

/** An organization with made-up signals of the last 20 days. */
async function populateProviders(count: number) {
  const own = await tenant();
  await own.record(
    ...Array.from({ length: count }, (_, index) => ({
      ts: Math.floor(NOW - (index + random()) * ((20 * DAY) / count)),
      user_id: pick(random, ['ada', 'bob']),
      model: pick(random, ['gpt-5', 'claude-sonnet-4-5', 'nobody-knows-it']),
      provider: pick(random, ['openai', 'aws.bedrock', 'openai', 'litellm', 'ollama']),
      tokens_in: Math.floor(random() * 1_000),
    })),
  );
  return { ...own, organization: await readOrganization(ctx, own.orgId) };
}

/** Adds an amount to one of some sums. */
function add(sums: Record<string, number>, name: string, amount: number): void {
  if (amount !== 0) sums[name] = (sums[name] ?? 0) + amount;
}

/** Tokens and sessions by provider, as the rollups or snapshots have them. */
async function byProvider(organization: Organization) {
  const midnight = Date.parse('2026-04-11T00:00:00Z');
  const parts = splitRange(organization, [midnight - 30 * DAY, midnight]);
  const columns = ['provider', 'model'] as const;
  const rows = await inTransaction(ctx.db, (transaction) =>
    sumRollups(ctx, organization, { parts, match: {}, columns }, transaction),
  );
  const counts: Record<string, number> = {};
  for (const { key, sums } of rows) {
    const provider = String(key.provider) || providerOf({ model: String(key.model) }, NOW);
    add(counts, provider, sums.tokens_in);
    add(counts, `sessions of ${provider}`, sums.sessions);
  }
  return counts;
}

/** The same, counted one by one. */
async function counted(orgId: string, named: (signal: Signal) => string) {
  const counts: Record<string, number> = {};
  for await (const signal of signalRows(ctx).find({ org_id: orgId, voided: { $exists: false } }))
    add(counts, named(signal), signal.tokens_in);
  for await (const { model, signal_count } of sessionRows(ctx).find({ org_id: orgId }))
    if (signal_count > 0) add(counts, `sessions of ${providerOf({ model }, NOW)}`, 1);
  return counts;
}

/** Turns all rows of an organization into those of a version that knew no provider, by way of `sumOfSignals`. */
async function makeEarlier(organization: Organization): Promise<void> {
  const org_id = organization._id;
  await signalRows(ctx).updateMany({ org_id }, { $unset: { price_provider: true } });
  await sessionRows(ctx).updateMany({ org_id }, { $unset: { price_provider: true } });
  await reconcileUsage(ctx, organization, { repair: true });
}

describe('the provider of rollups', () => {
  it('is the one that each signal counts under, with snapshots and without', async () => {
    const { orgId, organization } = await populateProviders(150);
    const right = await counted(orgId, (signal) => countedProvider(signal, NOW));
    const providers = ['anthropic', 'aws', 'litellm', 'ollama', 'openai', 'unknown'];
    const names = Object.keys(right).map((name) => name.replace('sessions of ', ''));
    expect(new Set(names)).toEqual(new Set(providers));
    expect(await byProvider(organization)).toEqual(right);
    expect(await make(organization)).toBeGreaterThan(20);
    expect(await byProvider(organization)).toEqual(right);
    await expectNoneWrong(organization);
  });

  it('of an earlier version is that of the model, in the rows that there were', async () => {
    const { orgId, organization } = await populateProviders(60);
    await makeEarlier(organization);
    const rows = await rollupRows(ctx)
      .find({ org_id: orgId, signals: { $gt: 0 } })
      .toArray();
    for (const { _id, period, start, provider, ...of } of rows) {
      expect(provider).toBeUndefined();
      expect(_id).toBe(rollupKey(orgId, period, start.getTime(), of));
    }
    const right = await counted(orgId, ({ model }) => providerOf({ model }, NOW));
    expect(await byProvider(organization)).toEqual(right);
    await expectNoneWrong(organization);
  });

  it('takes a voided signal from the row that counted it, also one of an earlier version', async () => {
    const { orgId, record, organization } = await populateProviders(60);
    await makeEarlier(organization);
    const late = { ts: NOW - 3 * DAY, user_id: 'ada', model: 'gpt-5', tokens_in: 7 };
    await record({ ...late, provider: 'aws.bedrock' }, { ...late, provider: 'openai' });
    for (const { _id } of await sessionRows(ctx).find({ org_id: orgId }).toArray()) {
      const own = await signalRows(ctx).find({ session_id: _id }).toArray();
      await voidSignals(ctx, orgId, { sessionId: _id, signalIds: own.map(({ id }) => id), reason: 'twice' });
    }
    const left = await rollupRows(ctx).find({ org_id: orgId }).toArray();
    expect(left.filter(({ signals, sessions, tokens_in }) => signals || sessions || tokens_in)).toEqual([]);
    await expectNoneWrong(organization);
  });

  it('is asked of the rollups while a snapshot does not know it, and of the snapshot once it was made again', async () => {
    const { orgId, organization } = await populateProviders(80);
    await make(organization);
    const question = { interval: 'none', filter: {}, groupBy: ['user_id'] } as const;
    const usage = await readUsage(ctx, organization, question);
    const right = await byProvider(organization);
    for (const { _id, period, start } of await snapshotRows(ctx).find({ org_id: orgId }).toArray()) {
      if (period === 'month') {
        await snapshotRows(ctx).deleteOne({ _id });
        continue;
      }
      const rows = await rollupRows(ctx).find({ org_id: orgId, period, start }).toArray();
      const $set = { cells: packEarlierCells(rows.map(cellOf)) };
      await snapshotRows(ctx).updateOne(
        { _id },
        { $set, $unset: { dimensions: true }, $inc: { version: 1 } },
      );
    }
    expect(await byProvider(organization)).toEqual(right);
    expect(await readUsage(ctx, organization, question)).toEqual(usage);
    await expectNoneWrong(organization);
    expect(await make(organization)).toBeGreaterThan(20);
    expect(await byProvider(organization)).toEqual(right);
    expect(await make(organization)).toBe(0);
  });
});

function rollupOf(index: number, cost_nusd: number, user_id: string): Rollup {
  const zeros = { sessions: 0, signals: 1, errors: 0, interventions: 0, tokens_in: 0, tokens_out: 0 };
  const others = { cache_read_tokens: 0, cache_write_tokens: 0, unpriced_signals: 0 };
  const of = { user_id, project_id: 'p', model: 'm', adapter: 'a' };
  const row = { _id: `${index}`, org_id: 'org', period: 'day' as const, start: new Date(0), ...of };
  return { ...row, ...zeros, ...others, cost_nusd };
}
