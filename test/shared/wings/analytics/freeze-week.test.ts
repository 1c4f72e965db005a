import { expect, it } from 'vitest';
import { readOrganization } from '../../../../shared/core/accounts/organizations/read-organization.ts';
import { recordSignals } from '../../../../shared/core/calls/ingest/record-signals.ts';
import { voidSignals } from '../../../../shared/core/calls/ingest/void-signals.ts';
import { freezeAnalytics } from '../../../../shared/wings/analytics/freeze-weeks.ts';
import { weekKey } from '../../../../shared/wings/analytics/frozen-cells.ts';
import { type FrozenWeek, frozenWeekRows } from '../../../../shared/wings/analytics/model.ts';
import { readAnalytics } from '../../../../shared/wings/analytics/read-analytics.ts';
import { makeSignal, senderOf } from '../../../support/factories.ts';
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

it.each([
  ['errors', { error: { code: 'x' } }],
  ['tokens_in', { tokens_in: 200 }],
  ['tokens_out', { tokens_out: 20 }],
  ['cost_usd', { cost_usd: 0.02 }],
])(
  'judges a week again where a call was voided and one came late that differ in %s alone',
  async (_, differing) => {
    const { orgId } = await tenant();
    const organization = await readOrganization(ctx, orgId);
    const freeze = () => freezeAnalytics(ctx, organization);
    const record = async (user: number, fields: object = {}) => {
      const call = { ts: LAST_WEEK, user_id: `user-${user}`, tokens_in: 100, tokens_out: 10, cost_usd: 0.01 };
      const [result] = await recordSignals(ctx, senderOf(orgId), [makeSignal({ ...call, ...fields })]);
      if (result?.status !== 'accepted') throw new Error(`user ${user} was not recorded`);
      return { sessionId: result.session_id, signalIds: [result.id], reason: 'It was counted twice.' };
    };
    for (const user of [0, 1, 2, 3, 4, 5, 6, 7]) await record(user);
    const wrong = await record(0, differing);
    await freeze();
    for (const user of [2, 3, 4, 5]) await record(user);
    expect(await freeze()).toEqual({ frozen: 0, restated: 0 });
    await voidSignals(ctx, orgId, wrong);
    await record(6);
    expect((await freeze()).restated).toBeGreaterThan(0);
    const { totals } = await readAnalytics(ctx, organization, { dimension: 'none' });
    expect(totals).toMatchObject({
      signals: 13,
      errors: 0,
      tokens_in: 1_300,
      tokens_out: 130,
      cost_usd: 0.13,
    });
  },
);

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
