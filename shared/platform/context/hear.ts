import { channelOf, type Job } from '../queues/job.ts';
import { connectQueues } from '../redis/connect.ts';
import type { Context } from './context.ts';

/** Hears what commits publish beside the wake-ups of a job, until the returned function is called. Nothing may depend on it. */
export function hear(ctx: Context, job: Job, take: (message: string) => void): () => void {
  const subscriber = connectQueues(ctx.config, 'subscriber');
  subscriber.on('message', (_channel, message) => take(message));
  subscriber
    .subscribe(channelOf(ctx.queues, job))
    .catch((error: unknown) => ctx.log.debug({ err: error }, 'what is published is not heard'));
  return () => subscriber.disconnect();
}
