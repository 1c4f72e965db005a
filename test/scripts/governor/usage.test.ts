import { expect, test } from 'vitest';
import { rollupRows } from '../../../shared/core/calls/usage/model.ts';
import { eventRows } from '../../../shared/core/events/record/model.ts';
import { commandLine } from '../../support/command-line.ts';
import { fixture } from '../../support/fixture.ts';
import { subscribeToAll } from '../../support/webhooks.ts';

const DAY_MS = 86_400_000;
const { ctx, tenant, ask, env } = await fixture();
const { governor } = commandLine(env);

test('usage reconcile repairs one organization, or all from a day on; --check changes nothing', async () => {
  const { audited, orgId, key, record } = await tenant();
  await record({ ts: ctx.clock.now() }, { ts: ctx.clock.now() - 40 * 60_000 });
  const usage = async () => (await ask('/api/v1/usage', undefined, { key })).totals;
  const right = await usage();
  expect(right.signals).toBe(2);
  const other = await tenant();
  await other.record({ ts: ctx.clock.now() });
  const damage = (org_id: string) => rollupRows(ctx).updateMany({ org_id }, { $inc: { tokens_in: 7 } });
  for (const org of [orgId, other.orgId]) await damage(org);
  const damaged = await usage();
  const checked = await governor('usage', 'reconcile', orgId, '--check');
  expect(await usage()).toEqual(damaged);
  expect(await governor('usage', 'reconcile', orgId)).toMatchObject({ repaired: checked.wrong });
  expect(await usage()).toEqual(right);
  await damage(orgId);
  const from = new Date(ctx.clock.now() - DAY_MS).toISOString().slice(0, 10);
  const repaired = await governor('usage', 'reconcile', '--from', from);
  expect(repaired.repaired).toBeGreaterThan(checked.wrong);
  expect(await usage()).toEqual(right);
  expect(await audited('usage.reconcile')).toHaveLength(2);
});

test('usage purge deletes what is past its retention and says how much', async () => {
  const { orgId, record } = await tenant();
  await subscribeToAll(ctx, orgId);
  await record({ ts: ctx.clock.now() });
  const old = new Date(ctx.clock.now() - 31 * DAY_MS);
  const [event] = await eventRows(ctx).find({ org_id: orgId }).toArray();
  await eventRows(ctx).insertOne({ ...event, _id: 'evt_old', created_at: old } as never);
  const { deleted } = await governor('usage', 'purge');
  expect(deleted).toMatchObject({ signals: 0, events: 1, deliveries: 0 });
  const left = await eventRows(ctx).find({ org_id: orgId }).toArray();
  expect(event).toBeDefined();
  expect(left.map(({ _id }) => _id)).toEqual([event?._id]);
});
