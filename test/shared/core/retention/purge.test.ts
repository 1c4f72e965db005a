import { expect, it, vi } from 'vitest';
import { auditRows } from '../../../../shared/core/accounts/audit/model.ts';
import { recordAct } from '../../../../shared/core/accounts/audit/record-audit.ts';
import { readOrganization } from '../../../../shared/core/accounts/organizations/read-organization.ts';
import { signalRows } from '../../../../shared/core/calls/signals/model.ts';
import { rollupRows } from '../../../../shared/core/calls/usage/model.ts';
import { readUsage } from '../../../../shared/core/calls/usage/read-usage.ts';
import { eventRows } from '../../../../shared/core/events/record/model.ts';
import { purge } from '../../../../shared/core/retention/purge.ts';
import type { RetentionRule } from '../../../../shared/platform/mongo/retention.ts';
import { RETENTION } from '../../../../shared/tables/retention.ts';
import { makeTenant } from '../../../support/factories.ts';
import { storesFixture } from '../../../support/fixture.ts';
import { recordAll } from '../../../support/usage.ts';
import { subscribeToAll } from '../../../support/webhooks.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const DAY = 86_400_000;
const { ctx, clock } = await storesFixture({ clock: NOW });

async function counts(orgId: string) {
  return {
    signals: await signalRows(ctx).countDocuments({ org_id: orgId }),
    quarters: await rollupRows(ctx).countDocuments({ org_id: orgId, period: 'quarter_hour' }),
    days: await rollupRows(ctx).countDocuments({ org_id: orgId, period: 'day' }),
    events: await eventRows(ctx).countDocuments({ org_id: orgId }),
    audit: await auditRows(ctx).countDocuments({ org_id: orgId }),
  };
}

it('deletes each thing after its own retention and never before; days stay', async () => {
  const { orgId } = await makeTenant(ctx);
  await subscribeToAll(ctx, orgId);
  await recordAll(
    ctx,
    orgId,
    Array.from({ length: 1_100 }, (_, index) => ({
      ts: NOW - (index % 3) * 3_600_000,
      user_id: `u${index % 7}`,
    })),
  );
  await recordAct(ctx, { action: 'key.create', org_id: orgId });
  const all = await counts(orgId);
  expect(all).toMatchObject({ signals: 1_100, quarters: 21, days: 7 });
  expect(all.events).toBeGreaterThan(0);
  const after = async (days: number) => {
    clock.set(NOW + days * DAY);
    await purge(ctx, RETENTION);
    return counts(orgId);
  };
  expect(await after(29.9)).toEqual(all);
  expect(await after(30.1)).toEqual({ ...all, events: 0 });
  expect(await after(35.8)).toEqual({ ...all, events: 0 });
  expect(await after(36.2)).toEqual({ ...all, events: 0, quarters: 0 });
  expect(await after(395.9)).toEqual({ ...all, events: 0, quarters: 0 });
  expect(await after(396.2)).toEqual({ ...all, events: 0, quarters: 0, signals: 0 });
  expect(await after(731)).toEqual({
    ...all,
    events: 0,
    quarters: 0,
    signals: 0,
    audit: 0,
  });
  const usage = await readUsage(ctx, await readOrganization(ctx, orgId), {
    fromMs: Date.parse('2026-04-01T00:00:00Z'),
    toMs: Date.parse('2026-05-01T00:00:00Z'),
    interval: 'day',
    groupBy: [],
    filter: {},
  });
  expect(usage.totals.signals).toBe(1_100);
});

it('goes on with the next rule when one fails', async () => {
  const purged = vi.fn(async () => 3);
  const rules: RetentionRule[] = [
    {
      kind: 'broken',
      collectionName: 'things',
      kept: 'a day',
      isPerOrganization: false,
      purge: async () => Promise.reject(new Error('no')),
    },
    { kind: 'whole', collectionName: 'things', kept: 'a day', isPerOrganization: false, purge: purged },
  ];
  expect(await purge(ctx, rules)).toEqual({ whole: 3 });
});
