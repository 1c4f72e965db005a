import { describe, expect, it } from 'vitest';
import { auditRows } from '../../../../../shared/core/accounts/audit/model.ts';
import type { Organization } from '../../../../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../../../../shared/core/accounts/organizations/read-organization.ts';
import { signalRows } from '../../../../../shared/core/calls/signals/model.ts';
import { makeSnapshots } from '../../../../../shared/core/calls/usage/make-snapshots.ts';
import {
  MEASURES,
  type Rollup,
  rollupRows,
  snapshotRows,
} from '../../../../../shared/core/calls/usage/model.ts';
import { readUsage } from '../../../../../shared/core/calls/usage/read-usage.ts';
import { reconcileAllUsage, reconcileUsage } from '../../../../../shared/core/calls/usage/reconcile-usage.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { openTestContext } from '../../../../support/harness.ts';
import { pick, seeded } from '../../../../support/random.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const DAY = 86_400_000;
const { ctx, clock, tenant } = await storesFixture({ clock: NOW });

const GATE = {
  type: 'intervention',
  intervention: { kind: 'tool', verdict: 'deny', action: 'block', source: 'hook' },
};

async function populate(seed: number, count = 400) {
  const random = seeded(seed);
  const { orgId, record } = await tenant({ timezone: 'Europe/Berlin' });
  const signals = Array.from({ length: count }, () => ({
    ts: NOW - Math.floor(random() * 34.5 * DAY),
    user_id: `u${Math.floor(random() * 5)}`,
    model: pick(random, ['gpt-5', 'gpt-4o-mini', 'nobody-knows']),
    tokens_in: 30 + Math.floor(random() * 1_000),
    cache_read_tokens: pick(random, [0, 20]),
    cache_write_tokens: pick(random, [0, 10]),
    ...pick(random, [{}, {}, { error: { code: 'overloaded' } }, GATE]),
    ...pick(random, [{}, { repository: 'github.com/acme/shop', branch: 'main' }]),
  }));
  await record(...signals);
  const organization = await readOrganization(ctx, orgId);
  await makeSnapshots(ctx, organization, { fromMs: 0, toMs: NOW });
  return { orgId, record, organization };
}

/** All rollups of an organization that count anything, in one order. */
async function rollupsOf(orgId: string): Promise<Rollup[]> {
  const rows = await rollupRows(ctx).find({ org_id: orgId }).toArray();
  return rows
    .filter((row) => MEASURES.some((measure) => row[measure] !== 0))
    .sort((a, b) => (a._id < b._id ? -1 : 1));
}

/** The snapshots of an organization without their versions, in one order. */
async function snapshotsOf(orgId: string) {
  const rows = await snapshotRows(ctx).find({ org_id: orgId }).sort({ _id: 1 }).toArray();
  return rows.map(({ version: _, ...row }) => row);
}

const everythingOf = async (orgId: string) => [await rollupsOf(orgId), await snapshotsOf(orgId)];

async function damageSnapshots(orgId: string): Promise<void> {
  const rows = await snapshotRows(ctx).find({ org_id: orgId }).sort({ _id: 1 }).toArray();
  const ids = rows.map((row) => row._id);
  const every = (rest: number) => ({ _id: { $in: ids.filter((_, index) => index % 4 === rest) } });
  await snapshotRows(ctx).updateMany(every(0), { $set: { totals: '{"values":[["x"],["x"]],"rows":[]}' } });
  await snapshotRows(ctx).updateMany(every(1), { $set: { cells: '{"values":[[],[],[],[]],"rows":[]}' } });
  // As one has none that would be too long.
  await snapshotRows(ctx).updateMany(every(2), { $set: { totals: null, cells: null, works: null } });
}

async function damage(orgId: string): Promise<void> {
  const rows = await rollupsOf(orgId);
  const ids = rows.map((row) => row._id);
  await rollupRows(ctx).deleteMany({ _id: { $in: ids.filter((_, index) => index % 7 === 0) } });
  await rollupRows(ctx).updateMany(
    { _id: { $in: ids.filter((_, index) => index % 7 === 1) } },
    { $inc: { cost_nusd: 5, signals: -1 } },
  );
  const [first] = rows;
  if (first) await rollupRows(ctx).insertOne({ ...first, _id: `made-up ${orgId}`, user_id: 'ghost' });
  await damageSnapshots(orgId);
}

/** Repairs until the process is killed, in the middle of March. */
async function repairUntilKilled(organization: Organization): Promise<void> {
  const victim = await openTestContext({ clock, sharing: ctx });
  let days = 0;
  victim.db.connection.getClient().on('commandSucceeded', ({ commandName }) => {
    if (commandName === 'commitTransaction') days += 1;
    if (days === 19) void victim.db.connection.close(true);
  });
  const doomed = reconcileUsage(victim, organization, { repair: true }).catch((error: unknown) => error);
  expect(await doomed).toBeInstanceOf(Error);
  await victim.close().catch(() => undefined);
}

describe('reconcileUsage', () => {
  it('rebuilds exactly what was lost, changed or made up, and only reports it when asked to check', async () => {
    const { orgId, organization } = await populate(2);
    const before = await everythingOf(orgId);
    const rollups = await rollupsOf(orgId);
    expect(MEASURES.filter((measure) => rollups.every((row) => row[measure] === 0))).toEqual([]);
    expect(await reconcileUsage(ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
    await damage(orgId);
    const checked = await reconcileUsage(ctx, organization, { repair: false });
    expect(checked.wrong).toBeGreaterThan(before.flat().length / 10);
    expect(checked.repaired).toBe(0);
    const repaired = await reconcileUsage(ctx, organization, { repair: true });
    expect(repaired).toEqual({ ...checked, repaired: checked.wrong });
    expect(await everythingOf(orgId)).toEqual(before);
    expect(await reconcileUsage(ctx, organization, { repair: true })).toMatchObject({ wrong: 0 });
    expect(await auditRows(ctx).countDocuments({ org_id: orgId })).toBeGreaterThan(1);
  });

  it('changes nothing more when it is killed half-way and run again, for every organization', async () => {
    const { orgId, organization } = await populate(3, 200);
    const before = await everythingOf(orgId);
    await damage(orgId);
    await repairUntilKilled(organization);
    expect(await everythingOf(orgId)).not.toEqual(before);
    expect((await reconcileAllUsage(ctx, { repair: true })).repaired).toBeGreaterThan(0);
    expect(await everythingOf(orgId)).toEqual(before);
  });

  it('leaves no month that sums up what a day no longer holds, when it is killed between the two', async () => {
    const { orgId, organization } = await populate(8, 100);
    await rollupRows(ctx).updateMany({ org_id: orgId, period: 'day' }, { $inc: { signals: 1 } });
    await snapshotRows(ctx).deleteMany({ org_id: orgId });
    await makeSnapshots(ctx, organization, { fromMs: 0, toMs: NOW });
    await repairUntilKilled(organization);
    const [fromMs, toMs] = [Date.parse('2026-03-01T00:00+01:00'), Date.parse('2026-04-01T00:00+02:00')];
    const question = { interval: 'none', groupBy: [], filter: {}, fromMs, toMs } as const;
    const { totals } = await readUsage(ctx, organization, question);
    const rows = await rollupRows(ctx)
      .find({ org_id: orgId, period: 'day', start: { $gte: new Date(fromMs), $lt: new Date(toMs) } })
      .toArray();
    expect(totals.signals).toBe(rows.reduce((sum, row) => sum + row.signals, 0));
  });

  it('loses and doubles nothing of what arrives while it rebuilds', async () => {
    const { orgId, record, organization } = await populate(4, 100);
    const random = seeded(44);
    await damage(orgId);
    const arriving = (async () => {
      for (let batch = 0; batch < 12; batch += 1) {
        const users = Array.from({ length: 5 }, () => `u${Math.floor(random() * 5)}`);
        await record(...users.map((user_id) => ({ ts: NOW - Math.floor(random() * 2 * DAY), user_id })));
      }
    })();
    for (let round = 0; round < 4; round += 1)
      await reconcileUsage(ctx, organization, { repair: true, fromMs: NOW - 3 * DAY });
    await arriving;
    await reconcileUsage(ctx, organization, { repair: true });
    expect(await reconcileUsage(ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
    const signals = await signalRows(ctx).countDocuments({ org_id: orgId });
    const rows = await rollupsOf(orgId);
    for (const period of ['quarter_hour', 'day']) {
      const counted = rows.filter((row) => row.period === period).reduce((sum, row) => sum + row.signals, 0);
      expect(counted, period).toBe(signals);
    }
  });

  it('puts snapshots right that alone are wrong, and makes those that are missing or stale', async () => {
    const { orgId, organization } = await populate(7, 100);
    const before = await everythingOf(orgId);
    await damageSnapshots(orgId);
    expect((await reconcileUsage(ctx, organization, { repair: false })).wrong).toBeGreaterThan(10);
    await reconcileUsage(ctx, organization, { repair: true });
    expect(await everythingOf(orgId)).toEqual(before);
    await snapshotRows(ctx).deleteMany({ org_id: orgId });
    await reconcileUsage(ctx, organization, { repair: true });
    expect(await everythingOf(orgId)).toEqual(before);
  });

  it('leaves days alone whose signals have been purged, also a part of them, whatever the retention is now', async () => {
    const { orgId, organization } = await populate(5, 400);
    const [rollups, snapshots] = [await rollupsOf(orgId), await snapshotsOf(orgId)];
    await signalRows(ctx).deleteMany({ org_id: orgId, ts: { $lt: new Date(NOW - 10 * DAY) } });
    clock.set(NOW + 40 * DAY);
    await reconcileUsage(ctx, organization, { repair: true, fromMs: 0, toMs: NOW });
    // Missing snapshots are made from the rollups.
    await snapshotRows(ctx).deleteMany({ org_id: orgId });
    await reconcileUsage(ctx, organization, { repair: true, fromMs: 0, toMs: NOW });
    clock.set(NOW);
    expect(await rollupsOf(orgId)).toEqual(rollups);
    const ids = new Set(snapshots.map(({ _id }) => _id));
    expect((await snapshotsOf(orgId)).filter(({ _id }) => ids.has(_id))).toEqual(snapshots);
  });
});
