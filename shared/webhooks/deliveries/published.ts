import { z } from 'zod';
import type { QueuedDelivery } from './model.ts';

/** The longest message that a commit publishes, in characters. What is longer is read from the store. */
const MESSAGE_AT_MOST = 64 * 1_024;

/** What a commit publishes beside a wake-up. */
export const publishedDeliveries = z.array(
  z.strictObject({
    _id: z.string(),
    event_id: z.string(),
    body: z.string(),
    at: z.number(),
    wake: z.string(),
    /** Of the webhook as the transaction saw it. */
    revision: z.int(),
  }),
);

/** A first attempt as its transaction planned it. */
export type PublishedDelivery = z.output<typeof publishedDeliveries>[number];

/** The message of planned deliveries that share a wake-up; undefined when it would be too long. */
export function publicationOf(planned: readonly QueuedDelivery[], revision: number): string | undefined {
  const published = planned.map(({ _id, event_id, body, at, wake }): PublishedDelivery => {
    return { _id, event_id, body, at, wake, revision };
  });
  const message = JSON.stringify(published);
  return message.length <= MESSAGE_AT_MOST ? message : undefined;
}
