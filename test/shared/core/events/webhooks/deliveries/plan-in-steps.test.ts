import { beforeEach, describe, expect, it } from 'vitest';
import { eventRows } from '../../../../../../shared/core/events/record/model.ts';
import type { NewEvent } from '../../../../../../shared/core/events/record/new-event.ts';
import { queuedDeliveryRows } from '../../../../../../shared/core/events/webhooks/deliveries/model.ts';
import {
  planEvents,
  type UnplannedDetails,
} from '../../../../../../shared/core/events/webhooks/deliveries/plan-events.ts';
import { planStep } from '../../../../../../shared/core/events/webhooks/deliveries/plan-in-steps.ts';
import { deleteWebhook } from '../../../../../../shared/core/events/webhooks/endpoints/delete-webhook.ts';
import { findSubscribers } from '../../../../../../shared/core/events/webhooks/endpoints/find-subscribers.ts';
import { webhookRows } from '../../../../../../shared/core/events/webhooks/endpoints/model.ts';
import { NAMED_EVENT_TYPES } from '../../../../../../shared/platform/basics/contract.ts';
import { commitPlan } from '../../../../../../shared/platform/context/commit-plan.ts';
import { dueRows } from '../../../../../../shared/platform/due/model.ts';
import { storesFixture } from '../../../../../support/fixture.ts';
import type { TestContext } from '../../../../../support/harness.ts';
import { standingStillAfter } from '../../../../../support/interleave.ts';
import { attemptAllDue, raise, subscribe } from '../../../../../support/webhooks.ts';

/** Times three webhooks more than one transaction plans by itself. */
const EVENTS = 400;
const fx = await storesFixture({ clock: '2026-01-15T12:00:00Z', receiver: true, perTest: true });
const { ctx, clock } = fx;
let webhooks: string[];
let key: string;
beforeEach(async () => {
  webhooks = [];
  for (const name of ['a', 'b', 'c'])
    webhooks.push((await fx.webhook(`${fx.receiver.url}/${name}`, ['session.started']))._id);
  await fx.webhook(`${fx.receiver.url}/other`, ['budget.warning']);
  await raise(ctx, fx.orgId, EVENTS);
  const due = await dueRows(ctx).findOne({ kind: 'plan-deliveries', org_id: fx.orgId });
  key = due?.key ?? '';
});

const countAll = () => queuedDeliveryRows(ctx).countDocuments({ org_id: fx.orgId });
const expectAll = async () =>
  expect(await Promise.all(webhooks.map(countOf))).toEqual([EVENTS, EVENTS, EVENTS]);
const countOf = (webhook_id: string) => queuedDeliveryRows(ctx).countDocuments({ webhook_id });

/** As a worker does. */
async function planInSteps(worker: TestContext, dueKey: string): Promise<void> {
  for (let again = await planStep(worker, dueKey); again; again = await planStep(worker, dueKey))
    clock.set(again.notBeforeMs);
}

/**
 * The deliveries of every kind of event to every kind of webhook, raised with so many sessions: for whom, of which kind, and when
 * they are due.
 */
async function plannedBeside(sessions: number): Promise<string[]> {
  const { orgId } = await fx.tenant();
  const quiet_hours = { from: '10:00', to: '20:00', timezone: 'UTC' };
  const hooks: string[] = [];
  for (const format of ['json', 'slack'] as const)
    for (const waits of [{}, { quiet_hours }, { digest: 'daily' as const }])
      hooks.push((await subscribe(ctx, orgId, { ...waits, format, events: [...NAMED_EVENT_TYPES] }))._id);
  const event = (type: NewEvent['type'], more: Partial<NewEvent> = {}): NewEvent => {
    const shown = { muted: more.is_muted, rank: more.level?.rank };
    const rest = { org_id: orgId, ts: new Date(clock.now()), concerns: {}, data: shown };
    return { type, cause: [orgId, JSON.stringify(shown), more.webhook_id ?? ''], ...rest, ...more };
  };
  const percents = hooks.flatMap((webhook_id) =>
    [99, 100, 150].map((rank) =>
      event('budget.threshold', { webhook_id, level: { of: `${webhook_id} ${rank}`, rank } }),
    ),
  );
  const events = [
    ...NAMED_EVENT_TYPES.flatMap((type) => [event(type), event(type, { is_muted: true })]),
    ...percents,
    event('budget.forecast', { owner_id: hooks.at(-1) }),
    ...Array.from({ length: sessions }, (_, at) => event('session.started', { cause: [orgId, at] })),
  ];
  await commitPlan(ctx, async (transaction) => {
    const subscribers = await findSubscribers(ctx, orgId, transaction);
    return { ...planEvents(events, subscribers, clock.now()), result: undefined };
  });
  const due = await dueRows(ctx).findOne({ kind: 'plan-deliveries', org_id: orgId });
  expect(due === null).toBe(sessions === 0);
  if (due) await planInSteps(ctx, due.key);
  const rows = await queuedDeliveryRows(ctx).find({ org_id: orgId }).toArray();
  const planned = rows.map(({ webhook_id, type, body, state, at, created_at }) => {
    const when = at === created_at.getTime() ? 'at once' : new Date(at).toISOString();
    return [hooks.indexOf(webhook_id), type, JSON.stringify(JSON.parse(body).data), state, when].join(' ');
  });
  return planned.filter((delivery) => !delivery.includes('session.started')).toSorted();
}

/** Dies after it has committed so many steps. */
function dyingAfter(steps: number): TestContext {
  let woken = 0;
  const wake: typeof ctx.queues.wake = (job, wakeUps) => {
    if (wakeUps.length > 0 && job.kind === 'deliver-webhook') woken += 1;
    if (woken > steps) throw new Error('it died');
    ctx.queues.wake(job, wakeUps);
  };
  return { ...ctx, queues: { ...ctx.queues, wake } };
}

describe('more deliveries than one transaction writes', () => {
  it('are planned in steps after it, each once, also by two workers at the same time, and arrive', async () => {
    expect(await eventRows(ctx).countDocuments({ org_id: fx.orgId })).toBe(EVENTS);
    expect(await countAll()).toBe(0);
    await Promise.all([planInSteps(ctx, key), planInSteps(ctx, key)]);
    await expectAll();
    expect(await dueRows(ctx).countDocuments({ org_id: fx.orgId })).toBe(0);
    await planInSteps(ctx, key);
    expect(await countAll()).toBe(3 * EVENTS);
    const rows = await queuedDeliveryRows(ctx)
      .find({ webhook_id: webhooks[0] ?? '' })
      .sort({ position: 1 })
      .toArray();
    expect(rows.map(({ body }) => JSON.parse(body).data.index)).toEqual(rows.map((_, index) => index));
    await attemptAllDue(ctx, rows[0]?.event_id);
    expect(fx.receiver.received.map(({ path }) => path).toSorted()).toEqual([
      '/hook/a',
      '/hook/b',
      '/hook/c',
    ]);
  });

  it('name for each event only those channels whose filter keeps it from what they ask for', async () => {
    const filter = { people: ['ada'] };
    await subscribe(ctx, fx.orgId, { format: 'slack', events: ['budget.warning'], filter });
    const { _id } = await subscribe(ctx, fx.orgId, { format: 'slack', events: ['session.started'], filter });
    const ids = await raise(ctx, fx.orgId, EVENTS);
    const due = await dueRows(ctx).findOne({ _id: `plan-deliveries ${ids[0]}` });
    expect((due as unknown as UnplannedDetails).events).toEqual(
      ids.map((id) => ({ _id: id, type: 'session.started', passed_by: [_id] })),
    );
  });

  it('are for the same webhooks, and as soon, as those that one transaction writes', async () => {
    const atOnce = await plannedBeside(0);
    expect(new Set(atOnce.map((delivery) => delivery.split(' ')[3]))).toEqual(
      new Set(['pending', 'collected']),
    );
    clock.set(Date.UTC(2026, 0, 15, 12));
    expect(await plannedBeside(200)).toEqual(atOnce);
  });

  it('go on after their pause when the clock was an hour ahead for a moment', async () => {
    const HOUR = 3_600_000;
    clock.shift(HOUR);
    const ahead = await planStep(ctx, key);
    clock.shift(-HOUR);
    const pauseMs = (ahead?.notBeforeMs ?? 0) - HOUR - clock.now();
    expect(await planStep(ctx, key)).toEqual({ notBeforeMs: clock.now() + pauseMs });
    clock.advance(pauseMs);
    await planInSteps(ctx, key);
    await expectAll();
  });

  it('wait while their organization pauses after a step, also those of other events', async () => {
    await raise(ctx, fx.orgId, EVENTS);
    const rows = await dueRows(ctx).find({ kind: 'plan-deliveries', org_id: fx.orgId }).toArray();
    const other = rows.find((row) => row.key !== key)?.key ?? '';
    const before = clock.now();
    const pause = await planStep(ctx, key);
    expect(pause?.notBeforeMs).toBeGreaterThan(before);
    const planned = await countAll();
    expect(await planStep(ctx, other)).toEqual(pause);
    expect(await countAll()).toBe(planned);
    clock.set(pause?.notBeforeMs ?? 0);
    await planStep(ctx, other);
    expect(await countAll()).toBeGreaterThan(planned);
  });

  it('are planned for no webhook that is deleted during their step', async () => {
    const gone = webhooks[0] ?? '';
    await planStep(
      standingStillAfter(ctx, webhookRows, () => deleteWebhook(ctx, fx.orgId, gone)),
      key,
    );
    expect(await countOf(gone)).toBe(0);
  });

  it('are all planned when a worker dies between two steps', async () => {
    await expect(planInSteps(dyingAfter(1), key)).rejects.toThrow('it died');
    const planned = await countAll();
    expect([planned > 0, planned < 3 * EVENTS]).toEqual([true, true]);
    await planInSteps(ctx, key);
    await expectAll();
  });

  it('are held where the webhook is failing by then, and dropped where it is gone', async () => {
    const [failing = '', gone = ''] = webhooks;
    await webhookRows(ctx).updateOne({ _id: failing }, { $set: { status: 'failing' } });
    await webhookRows(ctx).deleteOne({ _id: gone });
    await planInSteps(ctx, key);
    expect(await queuedDeliveryRows(ctx).countDocuments({ webhook_id: failing, state: 'held' })).toBe(EVENTS);
    expect(await countOf(gone)).toBe(0);
  });
});
