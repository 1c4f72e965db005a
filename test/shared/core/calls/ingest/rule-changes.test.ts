import { expect, test } from 'vitest';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import { endSessionJob, moveSessionEndsJob } from '../../../../../shared/core/calls/sessions/jobs.ts';
import { sessionRows } from '../../../../../shared/core/calls/sessions/model.ts';
import { moveSessionEnds } from '../../../../../shared/core/calls/sessions/move-session-ends.ts';
import { queuedDeliveryRows } from '../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { changeOrganization } from '../../../../../shared/people/change-organization.ts';
import { dueRows } from '../../../../../shared/platform/due/model.ts';
import { readDue } from '../../../../../shared/platform/due/plan-due.ts';
import { makeSignal, makeTenant, senderOf } from '../../../../support/factories.ts';
import { processBeside, storesFixture } from '../../../../support/fixture.ts';
import type { TestContext } from '../../../../support/harness.ts';
import { recordAll, use } from '../../../../support/usage.ts';
import { subscribe } from '../../../../support/webhooks.ts';

const { ctx, clock } = await storesFixture({ clock: Date.UTC(2026, 10, 21, 12) });
const other = await processBeside(ctx);

test('a session that opens while the session timeout changes is due by the new one', async () => {
  for (let round = 0; round < 12; round += 1) {
    const { orgId } = await makeTenant(ctx);
    // Both processes know the rules, so that neither reads them again by chance.
    for (const by of [ctx, other]) await use(by, orgId, 1, { user_id: 'first' });
    const users = [0, 1, 2, 0, 1, 2].map((user) => ({ user_id: `user-${user}` }));
    await Promise.all([
      changeOrganization(other, orgId, { session_timeout: 60 }),
      ...[ctx, other].flatMap((by) => users.map((user) => use(by, orgId, 1, user))),
    ]);
    await Promise.all([ctx, other].map((by) => moveSessionEnds(by, orgId)));
    const open = await sessionRows(ctx).find({ org_id: orgId, state: 'open' }).toArray();
    expect(open).toHaveLength(4);
    for (const { key, last_activity_at } of open) {
      const due = await readDue(ctx, endSessionJob, key);
      expect(due?.due_at.getTime()).toBe(last_activity_at.getTime() + 60_001);
    }
  }
});

test('a changed session timeout moves the ends of however many open sessions in steps, after its own transaction', async () => {
  const { orgId } = await makeTenant(ctx);
  const signals = Array.from({ length: 700 }, (_, user) => ({ ts: clock.now(), user_id: `user-${user}` }));
  await recordAll(ctx, orgId, signals);
  const ends = async () => {
    const rows = await dueRows(ctx).find({ kind: endSessionJob.kind, org_id: orgId }).toArray();
    return rows.map(({ due_at }) => due_at.getTime() - clock.now());
  };
  await changeOrganization(ctx, orgId, { session_timeout: 60 });
  expect(new Set(await ends())).toEqual(new Set([1_800_001]));
  await moveSessionEnds(ctx, orgId);
  expect(await ends()).toEqual(signals.map(() => 60_001));
  expect(await readDue(ctx, moveSessionEndsJob, orgId)).toBeNull();
});

test('another process counts by a changed setting from the next signal on', async () => {
  const { orgId } = await makeTenant(ctx);
  const post = async (context: TestContext, atMs: number) => {
    const [result] = await recordSignals(context, senderOf(orgId), [makeSignal({ ts: atMs })]);
    return result?.status === 'accepted' ? result.session_id : null;
  };
  const first = await post(ctx, clock.now() - 600_000);
  expect(await post(other, clock.now() - 300_000)).toBe(first);
  await changeOrganization(other, orgId, { session_timeout: 60 });
  expect(await post(ctx, clock.now())).not.toBe(first);
});

test('a webhook that is created between two signals gets the events of the second', async () => {
  const { orgId } = await makeTenant(ctx);
  await use(ctx, orgId, 1);
  const { _id } = await subscribe(other, orgId, { events: ['session.started'] });
  await use(ctx, orgId, 1, { user_id: 'bob' });
  expect(await queuedDeliveryRows(ctx).countDocuments({ webhook_id: _id })).toBe(1);
});
