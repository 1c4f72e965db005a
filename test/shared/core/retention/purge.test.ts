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
import { storesFixture } from '../../../support/fixture.ts';
import { subscribeToAll } from '../../../support/webhooks.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const DAY = 86_400_000;
const { ctx, clock, orgId, record } = await storesFixture({ clock: NOW });

async function counts() {
  const org_id = orgId;
  return {
    signals: await signalRows(ctx).countDocuments({ org_id }),
    quarters: await rollupRows(ctx).countDocuments({ org_id, period: 'quarter_hour' }),
    days: await rollupRows(ctx).countDocuments({ org_id, period: 'day' }),
    events: await eventRows(ctx).countDocuments({ org_id }),
    audit: await auditRows(ctx).countDocuments({ org_id }),
  };
}

it('deletes each thing after its own retention and never before; days stay', async () => {
  await subscribeToAll(ctx, orgId);
  await record(
    ...Array.from({ length: 1_100 }, (_, index) => ({
      ts: NOW - (index % 3) * 3_600_000,
      user_id: `u${index % 7}`,
    })),
  );
  await recordAct(ctx, { action: 'key.create', org_id: orgId });
  const left = await counts();
  expect(left).toMatchObject({ signals: 1_100, quarters: 21, days: 7 });
  expect(left.events).toBeGreaterThan(0);
  for (const [days, gone] of [
    [29.9, {}],
    [30.1, { events: 0 }],
    [35.8, {}],
    [36.2, { quarters: 0 }],
    [395.9, {}],
    [396.2, { signals: 0 }],
    [731, { audit: 0 }],
  ] as const) {
    clock.set(NOW + days * DAY);
    await purge(ctx, RETENTION);
    expect(await counts(), `after ${days} days`).toEqual(Object.assign(left, gone));
  }
  const [fromMs, toMs] = [Date.parse('2026-04-01T00:00:00Z'), Date.parse('2026-05-01T00:00:00Z')];
  const question = { fromMs, toMs, interval: 'day', groupBy: [], filter: {} } as const;
  const usage = await readUsage(ctx, await readOrganization(ctx, orgId), question);
  expect(usage.totals.signals).toBe(1_100);
});

it('goes on with the next rule when one fails', async () => {
  const purged = vi.fn(async () => 3);
  const rule = { collectionName: 'things', kept: 'a day', isPerOrganization: false };
  const rules: RetentionRule[] = [
    { ...rule, kind: 'broken', purge: async () => Promise.reject(new Error('no')) },
    { ...rule, kind: 'whole', purge: purged },
  ];
  expect(await purge(ctx, rules)).toEqual({ whole: 3 });
});
