import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditRows } from '../../../shared/core/accounts/audit/model.ts';
import { rollupRows } from '../../../shared/core/calls/usage/model.ts';
import { eventRows } from '../../../shared/core/events/record/model.ts';
import { type CommandLine, startApiWithCommandLine } from '../../support/command-line.ts';
import { makeTenant } from '../../support/factories.ts';
import type { TestApi } from '../../support/harness.ts';
import { recordAll } from '../../support/usage.ts';
import { subscribeToAll } from '../../support/webhooks.ts';

const DAY_MS = 86_400_000;
let api: TestApi;
let governor: CommandLine['governor'];
let failure: CommandLine['failure'];
beforeAll(async () => {
  ({ api, governor, failure } = await startApiWithCommandLine());
});
afterAll(() => api.close());

test('usage reconcile finds damaged rollups, --check changes nothing, and without it they are the sum again', async () => {
  const { orgId, key } = await makeTenant(api.ctx);
  await recordAll(api.ctx, orgId, [{ ts: api.ctx.clock.now() }, { ts: api.ctx.clock.now() - 40 * 60_000 }]);
  const usage = async () => (await api.call('/api/v1/usage', { key })).body.totals;
  const right = await usage();
  expect(right.signals).toBe(2);
  await rollupRows(api.ctx).updateMany({ org_id: orgId }, { $inc: { tokens_in: 7 } });
  const damaged = await usage();
  const checked = await governor('usage', 'reconcile', orgId, '--check');
  expect(checked.wrong).toBeGreaterThan(0);
  expect(checked.repaired).toBe(0);
  expect(await usage()).toEqual(damaged);
  // All organizations, from a day on.
  const from = new Date(api.ctx.clock.now() - DAY_MS).toISOString().slice(0, 10);
  const repaired = await governor('usage', 'reconcile', '--from', from);
  expect(repaired.repaired).toBeGreaterThanOrEqual(checked.wrong);
  expect(await usage()).toEqual(right);
  expect(await governor('usage', 'reconcile', orgId)).toMatchObject({ wrong: 0, repaired: 0 });
  const audit = await auditRows(api.ctx).find({ org_id: orgId, action: 'usage.reconcile' }).toArray();
  expect(audit).toHaveLength(1);
});

test('usage reconcile refuses an organization that there is not', async () => {
  expect((await failure('usage', 'reconcile', 'org_nobody')).stderr).toContain('not_found');
});

test('usage purge deletes what is past its retention and says how much', async () => {
  const { orgId } = await makeTenant(api.ctx);
  await subscribeToAll(api.ctx, orgId);
  await recordAll(api.ctx, orgId, [{ ts: api.ctx.clock.now() }]);
  const old = new Date(api.ctx.clock.now() - 31 * DAY_MS);
  const [event] = await eventRows(api.ctx).find({ org_id: orgId }).toArray();
  await eventRows(api.ctx).insertOne({ ...event, _id: 'evt_old', created_at: old } as never);
  const { deleted } = await governor('usage', 'purge');
  expect(deleted).toMatchObject({ signals: 0, events: 1, deliveries: 0 });
  const left = await eventRows(api.ctx).find({ org_id: orgId }).toArray();
  expect(event).toBeDefined();
  expect(left.map(({ _id }) => _id)).toEqual([event?._id]);
});
