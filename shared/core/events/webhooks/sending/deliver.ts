import { setTimeout as wait } from 'node:timers/promises';
import type { WebhookFormat } from '../../../../platform/basics/contract.ts';
import { isStoreError } from '../../../../platform/basics/errors.ts';
import { within } from '../../../../platform/basics/within.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { boundedCache } from '../../../../platform/context/per-context.ts';
import type { JobData } from '../../../../platform/queues/job.ts';
import type { deliverWebhookJob } from '../deliveries/jobs.ts';
import { deliveryRows, queuedDeliveryRows } from '../deliveries/model.ts';
import { isToBePlanned } from '../deliveries/plan-in-steps.ts';
import { WOKEN_EARLY_MS } from '../deliveries/plan-progress.ts';
import { takePublished } from '../deliveries/published.ts';
import { type Result, recordOutcome } from '../deliveries/record-outcome.ts';
import { takeMailPermit } from '../endpoints/mail-permits.ts';
import { mailAddressOf } from '../endpoints/mail-target.ts';
import { isPaused, type Webhook, webhookRows } from '../endpoints/model.ts';
import {
  type AttemptDecision,
  DUE_FIELDS,
  type DueDelivery,
  decideAttempt,
  decideDrained,
  dueAfterStart,
  type LoadedAttempt,
  startOf,
} from './decide-attempt.ts';
import { blockEndpoint, endpointOf, isAnswered, type Permit, takePermits } from './endpoint.ts';
import { sendAttempt } from './send-attempt.ts';

/**
 * How long a permit rests after a message, in milliseconds. An endpoint then has four permits: one message per second for
 * Slack (https://docs.slack.dev/apis/web-api/rate-limits), one per two seconds for a channel of Discord.
 */
const REST_MS: Partial<Record<WebhookFormat, number>> = { slack: 4_000, discord: 8_000 };

/** Reading takes a few milliseconds. A connection that has gone dark is given up after this. */
const READ_DEADLINE_MS = 5_000;

/** `deferred`: the endpoint's list was full, and the delivery waits in the store. */
type Attempted = AttemptDecision | { kind: 'deferred' };

/** A delivery of a webhook, and whether it was published beside its wake-up. */
interface DueIds {
  deliveryId: string;
  webhookId: string;
  published?: boolean;
  /** True: it is looked for among those that are finished too. */
  asksLog?: boolean;
}

/**
 * Delivers what one wake-up brings. Running it twice, or late, sends only what is due then and has not moved on. Returns
 * when to come again (epoch ms) if it came too early. Rejects after all others when a delivery could not be attempted.
 */
export async function deliver(
  ctx: Context,
  { webhook_id: webhookId, delivery_ids, wake, published }: JobData<typeof deliverWebhookJob>,
): Promise<{ notBeforeMs: number } | undefined> {
  const permits = takePermits(ctx, endpointOf(ctx, webhookId), delivery_ids.length);
  const attempts = delivery_ids.map(async (deliveryId, index) =>
    attempt(ctx, { deliveryId, webhookId, published }, await permits[index], async (loaded) =>
      afterStart(ctx, webhookId, await decideInTime(ctx, loaded, wake)),
    ),
  );
  const attempted: Attempted[] = [];
  for (const each of await Promise.allSettled(attempts)) {
    if (each.status === 'rejected') throw each.reason;
    attempted.push(each.value);
  }
  const later = attempted.flatMap((each) => (each.kind === 'later' ? [each.notBeforeMs] : []));
  return later.length === 0 ? undefined : { notBeforeMs: Math.min(...later) };
}

/** Attempts a held delivery in its turn of the drain. Its row stays held until the outcome is recorded. */
export async function deliverHeld(ctx: Context, due: DueIds): Promise<Attempted['kind']> {
  const [permit] = takePermits(ctx, endpointOf(ctx, due.webhookId), 1);
  const decide = async (loaded: LoadedAttempt): Promise<AttemptDecision> => {
    const decision = await afterStart(ctx, due.webhookId, decideDrained(loaded));
    // It leaves the drain, which would come back to it at once.
    return decision.kind === 'later' && loaded.queued
      ? { kind: 'follow', queued: loaded.queued, dueMs: decision.notBeforeMs }
      : decision;
  };
  return (await attempt(ctx, due, await permit, decide)).kind;
}

/** One attempt: loads, decides, sends and records. The record plans what is next. */
async function attempt(
  ctx: Context,
  due: DueIds,
  permit: Permit | null | undefined,
  decide: (loaded: LoadedAttempt) => Promise<AttemptDecision>,
): Promise<Attempted> {
  if (!permit) return { kind: 'deferred' };
  try {
    const decision = await postponeMail(ctx, await decide(await loadAttempt(ctx, due)));
    if (decision.kind === 'nothing' || decision.kind === 'later') return decision;
    const { round, attempt: number, state } = decision.queued;
    const result = await carryOut(ctx, permit, decision);
    const { deliveryId, webhookId } = due;
    const isDrained = state === 'held';
    await recordOutcome(ctx, { deliveryId, webhookId, round, attempt: number, isDrained, ...result });
    return decision;
  } catch (error) {
    if (!isStoreError(error)) blockEndpoint(endpointOf(ctx, due.webhookId));
    throw error;
  } finally {
    permit.finish();
  }
}

/** Sends, if that was decided. Recording needs no permit: the next request may begin. */
async function carryOut(
  ctx: Context,
  permit: Permit,
  decision: Exclude<AttemptDecision, { kind: 'nothing' | 'later' }>,
): Promise<Result> {
  if (decision.kind !== 'send') {
    permit.release(true);
    return decision;
  }
  const sent = await sendAttempt(ctx, permit, decision);
  const restMs = (REST_MS[decision.webhook.format] ?? 0) / ctx.config.timeScale;
  permit.release(isAnswered(sent.result), restMs);
  return { kind: 'attempted', ...sent };
}

/** Webhooks as this process last read them. One is used only beside a row that was published with the same revision. */
const knownWebhooks = boundedCache<string, Webhook>({ max: 10_000 });

/** Loads what an attempt needs, as it was published a moment ago or from the store. Throws a store error within 10 s. */
async function loadAttempt(ctx: Context, due: DueIds): Promise<LoadedAttempt> {
  const published = due.published ? takePublished(ctx, due.deliveryId) : null;
  const webhook = knownWebhooks(ctx).get(due.webhookId);
  if (published && webhook && !isPaused(webhook) && webhook.revision === published.revision)
    return { queued: { ...published, state: 'pending', round: 1, attempt: 1 }, webhook };
  const loaded = await readAttempt(ctx, due);
  if (loaded.webhook) knownWebhooks(ctx).set(due.webhookId, loaded.webhook);
  return loaded;
}

/**
 * Reads that wait together share two queries. If these fail, each webhook reads once more for itself, so that none waits
 * for another one's connection.
 */
async function readAttempt(ctx: Context, due: DueIds): Promise<LoadedAttempt> {
  try {
    return await submitRead(ctx, 'attempts', due);
  } catch (error) {
    if (!isStoreError(error)) throw error;
    return submitRead(ctx, `attempts ${due.webhookId}`, due);
  }
}

function submitRead(ctx: Context, key: string, due: DueIds): Promise<LoadedAttempt> {
  return ctx.batcher.submit(key, due, {
    maxWeight: 50,
    weigh: () => 1,
    lingerMs: 4,
    lingerFrom: 8,
    run: (together) => within(READ_DEADLINE_MS, 'Reading what is due', readTogether(ctx, together)),
  });
}

async function readTogether(ctx: Context, together: readonly DueIds[]): Promise<LoadedAttempt[]> {
  const deliveryIds = together.map(({ deliveryId }) => deliveryId);
  const webhookIds = [...new Set(together.map(({ webhookId }) => webhookId))];
  const due = { _id: { $in: deliveryIds }, webhook_id: { $in: webhookIds } };
  const asksLog = together.some((one) => one.asksLog);
  const [rows, webhooks, finished] = await Promise.all([
    queuedDeliveryRows(ctx).find(due).project<DueDelivery>(DUE_FIELDS).toArray(),
    webhookRows(ctx)
      .find({ _id: { $in: webhookIds } })
      .toArray(),
    asksLog
      ? deliveryRows(ctx)
          .find(due, { projection: { _id: 1 } })
          .toArray()
      : [],
  ]);
  return together.map(({ deliveryId, webhookId }) => ({
    queued: rows.find(({ _id }) => _id === deliveryId),
    webhook: webhooks.find(({ _id }) => _id === webhookId),
    isFinished: finished.some(({ _id }) => _id === deliveryId),
  }));
}

/** A delivery that was woken early waits here for its time, one that was woken much too early in its queue. */
async function decideInTime(ctx: Context, loaded: LoadedAttempt, wake: string): Promise<AttemptDecision> {
  const decision = decideAttempt(loaded, wake, ctx.clock.now());
  if (decision.kind !== 'later') return decision;
  const waitMs = decision.notBeforeMs - ctx.clock.now();
  if (waitMs > WOKEN_EARLY_MS) return { kind: 'later', notBeforeMs: decision.notBeforeMs - WOKEN_EARLY_MS };
  // A timer may end a part of a millisecond before the clock shows it.
  await wait(waitMs + 1);
  return decideAttempt(loaded, wake, ctx.clock.now());
}

/** The end of a session waits until the delivery of its start is finished: one read more for this kind of event alone. */
async function afterStart(
  ctx: Context,
  webhookId: string,
  decision: AttemptDecision,
): Promise<AttemptDecision> {
  if (decision.kind !== 'send') return decision;
  const start = startOf(decision.queued, webhookId);
  if (start === null) return decision;
  const due = { deliveryId: start.deliveryId, webhookId };
  const { queued, isFinished } = await readAttempt(ctx, { ...due, asksLog: true });
  const isNowhere = !queued && !isFinished && decision.webhook.events.includes('session.started');
  const isUnplanned = isNowhere && (await isToBePlanned(ctx, decision.webhook.org_id, start.eventId));
  // It may have been planned between the two questions.
  const now = isNowhere ? (await readAttempt(ctx, due)).queued : queued;
  const notBeforeMs = dueAfterStart(now, isUnplanned, ctx.clock.now());
  return notBeforeMs === null ? decision : { kind: 'later', notBeforeMs };
}

/** A mail beyond those of an hour waits until there is room for one. */
async function postponeMail(ctx: Context, decision: AttemptDecision): Promise<AttemptDecision> {
  if (decision.kind !== 'send' || decision.webhook.format !== 'email') return decision;
  const address = mailAddressOf(ctx.config, decision.webhook);
  const dueMs = await takeMailPermit(ctx, { orgId: decision.webhook.org_id, address });
  return dueMs === null ? decision : { kind: 'postpone', queued: decision.queued, dueMs };
}
