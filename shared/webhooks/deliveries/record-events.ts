import type { ClientSession } from 'mongoose';
import type { Event } from '../../events/model.ts';
import type { NewEvent } from '../../events/new-event.ts';
import { wakeAll } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { afterCommit } from '../../platform/mongo/transaction.ts';
import { applyWrites } from '../../platform/mongo/writes.ts';
import { findSubscribers } from '../endpoints/find-subscribers.ts';
import { planEvents } from './plan-events.ts';

/**
 * Writes events of one organization in the transaction of the change that raised them, with one delivery per webhook
 * that subscribes; the commit wakes these.
 */
export async function recordEvents(
  ctx: Context,
  events: readonly NewEvent[],
  transaction: ClientSession,
): Promise<Event[]> {
  const [first] = events;
  if (!first) return [];
  const subscribers = await findSubscribers(ctx, first.org_id, transaction);
  const plan = planEvents(events, subscribers, ctx.clock.now());
  await applyWrites(ctx, plan.writes, transaction);
  afterCommit(transaction, () => wakeAll(ctx, plan.wakeUps));
  return plan.events;
}
