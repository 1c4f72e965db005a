import { describe, expect, it } from 'vitest';
import { closeSession, endIfSilent } from '../../../../../../shared/core/calls/ingest/end-session.ts';
import { recordSignals } from '../../../../../../shared/core/calls/ingest/record-signals.ts';
import { sessionRows } from '../../../../../../shared/core/calls/sessions/model.ts';
import { deleteWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/delete-webhook.ts';
import { webhookRows } from '../../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { updateWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/update-webhook.ts';
import { createBudget } from '../../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { evaluateDue } from '../../../../../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { NAMED_EVENT_TYPES, type NamedEventType } from '../../../../../../shared/platform/basics/contract.ts';
import type { Context } from '../../../../../../shared/platform/context/context.ts';
import { checkSession } from '../../../../../../shared/wings/anomalies/check-session.ts';
import { makeSignal, makeTenant, senderOf } from '../../../../../support/factories.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import { standingStillAfter } from '../../../../../support/interleave.ts';
import { makeWebhook, readEvents } from '../../../../../support/webhooks.ts';

const URL = 'http://127.0.0.1:9/';
const SILENCE_MS = 1_800_001;
const { ctx, clock } = await storesFixture({ clock: Date.UTC(2026, 10, 21, 12) });

async function post(context: Context, orgId: string, overrides: Record<string, unknown> = {}) {
  const [result] = await recordSignals(context, senderOf(orgId), [
    makeSignal({ ts: clock.now(), ...overrides }),
  ]);
  if (result?.status !== 'accepted') throw new Error(JSON.stringify(result));
  return sessionRows(ctx).findOne({ _id: result.session_id });
}

interface Producer {
  what: string;
  type: NamedEventType;
  /** Prepares an organization. Returns the change that raises the event. */
  prepare: (orgId: string) => Promise<(by: Context) => Promise<unknown>>;
}

const PRODUCERS: Producer[] = [
  {
    what: 'a signal opens a session',
    type: 'session.started',
    prepare: async (orgId) => (by) => post(by, orgId),
  },
  {
    what: 'a session is closed by hand',
    type: 'session.ended',
    prepare: async (orgId) => {
      const session = await post(ctx, orgId);
      return (by) => closeSession(by, { orgId, userId: null }, session?._id ?? '');
    },
  },
  {
    what: 'the silence of a session has lasted',
    type: 'session.ended',
    prepare: async (orgId) => {
      const session = await post(ctx, orgId);
      clock.advance(SILENCE_MS);
      return (by) => endIfSilent(by, session?.key ?? '');
    },
  },
  {
    what: 'a budget reaches a level',
    type: 'budget.exceeded',
    prepare: async (orgId) => {
      const shape = { scope: 'org', metric: 'signals', window: 'monthly' } as const;
      await createBudget(ctx, orgId, { name: 'Month', threshold: 1, ...shape });
      await post(ctx, orgId);
      return (by) => evaluateDue(by, orgId);
    },
  },
  {
    what: 'a session is found to be an anomaly',
    type: 'anomaly.detected',
    prepare: async (orgId) => {
      const session = await post(ctx, orgId, { tokens_in: 3_000_000 });
      return (by) => checkSession(by, session?._id ?? '');
    },
  },
];

describe.each(PRODUCERS)('while $what', ({ type, prepare }) => {
  const typesOf = async (orgId: string) =>
    (await readEvents(ctx, orgId)).map((event) => event.type).filter((stored) => stored === type);

  it('a webhook that is made is sent the event', async () => {
    const { orgId } = await makeTenant(ctx);
    const raise = await prepare(orgId);
    await raise(standingStillAfter(ctx, webhookRows, () => makeWebhook(ctx, orgId, URL, [type])));
    expect(await typesOf(orgId)).toEqual([type]);
  });

  it('a webhook that subscribes to its type is sent the event', async () => {
    const { orgId } = await makeTenant(ctx);
    const others = NAMED_EVENT_TYPES.filter((other) => other !== type);
    const { _id } = await makeWebhook(ctx, orgId, URL, others);
    const raise = await prepare(orgId);
    const subscribe = () => updateWebhook(ctx, orgId, _id, { events: [type] });
    await raise(standingStillAfter(ctx, webhookRows, subscribe));
    expect(await typesOf(orgId)).toEqual([type]);
  });

  it('a webhook that is deleted leaves no event behind', async () => {
    const { orgId } = await makeTenant(ctx);
    const raise = await prepare(orgId);
    const { _id } = await makeWebhook(ctx, orgId, URL, [type]);
    await raise(standingStillAfter(ctx, webhookRows, () => deleteWebhook(ctx, orgId, _id)));
    expect(await typesOf(orgId)).toEqual([]);
  });
});
