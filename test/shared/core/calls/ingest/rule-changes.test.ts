import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeSession } from '../../../../../shared/core/calls/ingest/end-session.ts';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import { endSessionJob, moveSessionEndsJob } from '../../../../../shared/core/calls/sessions/jobs.ts';
import { sessionRows } from '../../../../../shared/core/calls/sessions/model.ts';
import { moveSessionEnds } from '../../../../../shared/core/calls/sessions/move-session-ends.ts';
import { queuedDeliveryRows } from '../../../../../shared/core/events/webhooks/deliveries/model.ts';
import { createWebhook } from '../../../../../shared/core/events/webhooks/endpoints/create-webhook.ts';
import { changeOrganization } from '../../../../../shared/people/change-organization.ts';
import { dueRows } from '../../../../../shared/platform/due/model.ts';
import { readDue } from '../../../../../shared/platform/due/plan-due.ts';
import { makeSignal, makeTenant, senderOf } from '../../../../support/factories.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { openTestContext, type TestContext } from '../../../../support/harness.ts';

const { ctx, clock } = await storesFixture({ clock: Date.UTC(2026, 10, 21, 12) });
let other: TestContext;
beforeAll(async () => {
  other = await openTestContext({ clock, sharing: ctx });
});
afterAll(() => other.close());

test('a session that opens while the session timeout changes is due by the new one', async () => {
  for (let round = 0; round < 12; round += 1) {
    const { orgId } = await makeTenant(ctx);
    // Both processes know the rules, so that neither reads them again by chance.
    for (const context of [ctx, other])
      await recordSignals(context, senderOf(orgId), [makeSignal({ ts: clock.now(), user_id: 'first' })]);
    await Promise.all([
      changeOrganization(other, orgId, { session_timeout: 60 }),
      ...[ctx, other].flatMap((context) =>
        Array.from({ length: 6 }, (_, index) =>
          recordSignals(context, senderOf(orgId), [
            makeSignal({ ts: clock.now(), user_id: `user-${index % 3}` }),
          ]),
        ),
      ),
    ]);
    await Promise.all([ctx, other].map((context) => moveSessionEnds(context, orgId)));
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
  const signals = Array.from({ length: 700 }, (_, user) =>
    makeSignal({ ts: clock.now(), user_id: `user-${user}` }),
  );
  await recordSignals(ctx, senderOf(orgId), signals);
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
  const post = (user_id: string) =>
    recordSignals(ctx, senderOf(orgId), [makeSignal({ ts: clock.now(), user_id })]);
  await post('ada');
  const { _id } = await createWebhook(other, orgId, {
    url: 'https://example.com/hook',
    events: ['session.started'],
    secret: 'a secret of thirty-two characters',
  });
  await post('bob');
  expect(await queuedDeliveryRows(ctx).countDocuments({ webhook_id: _id })).toBe(1);
});

test('a session that is closed while a signal joins it ends once, with all that it holds', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { orgId } = await makeTenant(ctx);
    const [opened] = await recordSignals(ctx, senderOf(orgId), [makeSignal({ ts: clock.now() })]);
    const sessionId = opened?.status === 'accepted' ? opened.session_id : '';
    await Promise.all([
      closeSession(other, { orgId, userId: null }, sessionId),
      recordSignals(ctx, senderOf(orgId), [makeSignal({ ts: clock.now() })]),
    ]);
    const session = await sessionRows(ctx).findOne({ _id: sessionId });
    expect(session).toMatchObject({ state: 'ended', end_reason: 'closed', signal_count: 2 });
    expect(await readDue(ctx, endSessionJob, session?.key ?? '')).toBeNull();
  }
});
