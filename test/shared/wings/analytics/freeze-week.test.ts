import { expect, it } from 'vitest';
import { readOrganization } from '../../../../shared/core/accounts/organizations/read-organization.ts';
import { freezeAnalytics } from '../../../../shared/wings/analytics/freeze-weeks.ts';
import { weekKey } from '../../../../shared/wings/analytics/frozen-cells.ts';
import { type FrozenWeek, frozenWeekRows } from '../../../../shared/wings/analytics/model.ts';
import { readAnalytics } from '../../../../shared/wings/analytics/read-analytics.ts';
import { storesFixture } from '../../../support/fixture.ts';
import { seedRollupDay } from '../../../support/usage.ts';

const NOW = Date.parse('2026-04-15T12:07:00Z');
const LAST_WEEK = Date.parse('2026-04-07T12:00:00Z');
const { ctx, tenant } = await storesFixture({ clock: NOW });

// It writes 17 MB of names for each of five dimensions.
it('freezes a week whose users and projects have names beyond the size of a document', async () => {
  const { orgId } = await tenant();
  await seedRollupDay(ctx, orgId, LAST_WEEK, 850, { nameLength: 20_000, project: 'own' });
  const organization = await readOrganization(ctx, orgId);
  await freezeAnalytics(ctx, organization);
  const ask = (dimension: 'model' | 'project') => readAnalytics(ctx, organization, { dimension });
  const { cells } = await ask('model');
  expect(cells).toMatchObject([{ key: { model: 'm' }, active_users: 850, signals: 2_550 }]);
  expect((await ask('project')).totals).toEqual({ suppressed: true });
});

it('freezes the weeks after one that fails, and tells of the failure', async () => {
  const { orgId } = await tenant();
  const start = Date.parse('2026-03-30T00:00:00Z');
  const unreadable = { seen_sums: 'other', dimensions: null } as unknown as FrozenWeek;
  const dates = { start: new Date(start), frozen_at: new Date(NOW) };
  await frozenWeekRows(ctx).insertOne({ ...unreadable, ...dates, _id: weekKey(orgId, start), org_id: orgId });
  const organization = await readOrganization(ctx, orgId);
  await expect(freezeAnalytics(ctx, organization)).rejects.toThrow(TypeError);
  const after = weekKey(orgId, Date.parse('2026-04-06T00:00:00Z'));
  expect(await frozenWeekRows(ctx).findOne({ _id: after })).toMatchObject({ org_id: orgId });
  // No row of the product is like it.
  await frozenWeekRows(ctx).deleteOne({ _id: weekKey(orgId, start) });
});

it('freezes a week that nobody froze in time, and only then leaves it alone', async () => {
  const { orgId, record } = await tenant();
  const users = Array.from({ length: 12 }, (_, user) => ({ ts: LAST_WEEK, user_id: `user-${user}` }));
  const organization = await readOrganization(ctx, orgId);
  const isOld = { lateSinceMs: NOW };
  await record(...users);
  const { frozen } = await freezeAnalytics(ctx, organization, isOld);
  expect(frozen).toBeGreaterThan(4);
  expect(await frozenWeekRows(ctx).countDocuments({ org_id: orgId })).toBe(frozen);
  const { totals } = await readAnalytics(ctx, organization, { dimension: 'none' });
  expect(totals).toMatchObject({ active_users: 12, signals: 12 });
  await record(...users);
  expect(await freezeAnalytics(ctx, organization, isOld)).toEqual({ frozen: 0, restated: 0 });
  expect((await freezeAnalytics(ctx, organization)).restated).toBeGreaterThan(0);
});

it('freezes from the week of the first possible signal on, hours only where all quarter hours are kept, and tells nothing of weeks before', async () => {
  const { orgId } = await tenant();
  const organization = await readOrganization(ctx, orgId);
  await freezeAnalytics(ctx, organization);
  const weeks = await frozenWeekRows(ctx).find({ org_id: orgId }).sort({ start: 1 }).toArray();
  expect(
    weeks.map(({ start, dimensions }) => [start.toISOString().slice(0, 10), 'hour_of_week' in dimensions]),
  ).toEqual([
    ['2026-03-09', false],
    ['2026-03-16', true],
    ['2026-03-23', true],
    ['2026-03-30', true],
    ['2026-04-06', true],
  ]);
  const fromMs = Date.parse('2026-03-02T00:00:00Z');
  const { trend } = await readAnalytics(ctx, organization, { dimension: 'none', fromMs });
  expect(trend[0]).toEqual({ start: '2026-03-02T00:00:00.000Z', suppressed: true });
});
