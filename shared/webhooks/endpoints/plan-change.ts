import type { ClientSession } from 'mongoose';
import { raiseOrganizationVersion } from '../../organizations/versions.ts';
import { dateAt } from '../../platform/basics/clock.ts';
import { NO_PLAN, type Plan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { readDue, setDue } from '../../platform/due/plan-due.ts';
import { updateRow, type Write } from '../../platform/mongo/writes.ts';
import { drainWebhookJob } from './jobs.ts';
import { type Webhook, webhookRows } from './model.ts';

type WebhookIds = Pick<Webhook, '_id' | 'org_id'>;

/** The writes that change a webhook. Planning deliveries reads webhooks, so the organization's version rises too. */
export function changeWrites({ _id, org_id }: WebhookIds, change: Partial<Webhook>): Write[] {
  const update = { $set: change, $inc: { revision: 1 } };
  return [updateRow(webhookRows, { _id }, update), ...raiseOrganizationVersion(org_id)];
}

/** What a drain's due row says beside its key. */
export interface DrainDetails {
  /** Until then a transaction that began while the webhook was paused may still hold something. */
  until: Date;
}

/** A transaction lives 60 s at most: one that saw the webhook paused has held its events by then. */
const STRAGGLERS_MS = 120_000;

/**
 * A plan that drains what a webhook holds: now, and once more what a transaction may still add that saw it paused. One that
 * is paused then has what it had under way held, and of one that is deleted everything is cancelled.
 */
export function planDrain({ _id, org_id }: WebhookIds, nowMs: number): Plan {
  const details: DrainDetails = { until: dateAt(nowMs + STRAGGLERS_MS) };
  return setDue(drainWebhookJob, { key: _id, orgId: org_id, dueMs: nowMs, details });
}

/**
 * A plan that drains a webhook at `dueMs` (epoch ms), when its address may be written to again, or sooner where that is
 * planned already.
 */
export async function planDrainAt(
  ctx: Context,
  { _id, org_id }: WebhookIds,
  dueMs: number,
  transaction: ClientSession,
): Promise<Plan> {
  const due = await readDue<DrainDetails>(ctx, drainWebhookJob, _id, transaction);
  const nowMs = ctx.clock.now();
  const plannedMs = due?.due_at.getTime() ?? Number.POSITIVE_INFINITY;
  const isUnderWay = due?.claim_id !== undefined && plannedMs <= nowMs;
  if (plannedMs <= dueMs && !isUnderWay) return NO_PLAN;
  const details: DrainDetails = { until: due?.until ?? dateAt(nowMs) };
  return setDue(drainWebhookJob, { key: _id, orgId: org_id, dueMs, details });
}
