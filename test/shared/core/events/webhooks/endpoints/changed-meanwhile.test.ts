import { describe, expect, it } from 'vitest';
import { closeSession, endIfSilent } from '../../../../../../shared/core/calls/ingest/end-session.ts';
import { sessionRows } from '../../../../../../shared/core/calls/sessions/model.ts';
import { deleteWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/delete-webhook.ts';
import { webhookRows } from '../../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { updateWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/update-webhook.ts';
import { evaluateDue } from '../../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { NAMED_EVENT_TYPES, type NamedEventType } from '../../../../../../shared/platform/basics/contract.ts';
import type { Context } from '../../../../../../shared/platform/context/context.ts';
import { checkSession } from '../../../../../../shared/wings/anomalies/check-session.ts';
import { storesFixture, type Tenant } from '../../../../../support/fixture.ts';
import { standingStillAfter } from '../../../../../support/interleave.ts';
import { recordAll } from '../../../../../support/usage.ts';
import { findDeliveries, readEvents } from '../../../../../support/webhooks.ts';

const URL = 'http://127.0.0.1:9/';
const SILENCE_MS = 1_800_001;
const { ctx, clock, tenant } = await storesFixture({ clock: Date.UTC(2026, 10, 21, 12) });

async function post(context: Context, orgId: string, overrides: Record<string, unknown> = {}) {
  await recordAll(context, orgId, [{ ts: clock.now(), ...overrides }]);
  const [session] = await sessionRows(ctx).find({ org_id: orgId }).toArray();
  return { _id: '', key: '', ...session };
}

/** Each change that raises an event, by its name and type. It is returned by what prepares an organization for it. */
const PRODUCERS: [string, NamedEventType, (of: Tenant) => Promise<(by: Context) => Promise<unknown>>][] = [
  [
    'a signal opens a session',
    'session.started',
    async ({ orgId }) =>
      (by) =>
        post(by, orgId),
  ],
  [
    'a session is closed by hand',
    'session.ended',
    async ({ orgId }) => {
      const { _id } = await post(ctx, orgId);
      return (by) => closeSession(by, { orgId, userId: null }, _id);
    },
  ],
  [
    'the silence of a session has lasted',
    'session.ended',
    async ({ orgId }) => {
      const { key } = await post(ctx, orgId);
      clock.advance(SILENCE_MS);
      return (by) => endIfSilent(by, key);
    },
  ],
  [
    'a budget reaches a level',
    'budget.exceeded',
    async ({ orgId, budget }) => {
      await budget({ metric: 'signals', window: 'monthly', threshold: 1 });
      await post(ctx, orgId);
      return (by) => evaluateDue(by, orgId);
    },
  ],
  [
    'a session is found to be an anomaly',
    'anomaly.detected',
    async ({ orgId }) => {
      const { _id } = await post(ctx, orgId, { tokens_in: 3_000_000 });
      return (by) => checkSession(by, _id);
    },
  ],
];

describe.each(PRODUCERS)('while %s', (_what, type, prepare) => {
  const others = NAMED_EVENT_TYPES.filter((other) => other !== type);
  type Change = (of: Tenant, id: string) => Promise<unknown>;

  it.each<[string, NamedEventType[] | null, Change, NamedEventType[]]>([
    ['is made is sent the event', null, ({ webhook }) => webhook(URL, [type]), [type]],
    [
      'subscribes to its type is sent the event',
      others,
      ({ orgId }, id) => updateWebhook(ctx, orgId, id, { events: [type] }),
      [type],
    ],
    ['is deleted leaves no event behind', [type], ({ orgId }, id) => deleteWebhook(ctx, orgId, id), []],
  ])('a webhook that %s', async (_, before, change, stored) => {
    const own = await tenant();
    const raise = await prepare(own);
    const { _id = '' } = before ? await own.webhook(URL, before) : {};
    await raise(standingStillAfter(ctx, webhookRows, () => change(own, _id)));
    const events = await readEvents(ctx, own.orgId);
    expect(events.map((event) => event.type).filter((each) => each === type)).toEqual(stored);
    const delivered = (await findDeliveries(ctx, { org_id: own.orgId })).map(({ event_id }) => event_id);
    expect(delivered.toSorted()).toEqual(events.map(({ id }) => id).toSorted());
  });
});
