import type { Job } from './job.ts';
import type { Queues } from './queues.ts';

/** A wake-up as data, as a plan lists it. It is carried out once the plan has committed. */
export interface PlannedWakeUp {
  readonly job: Job;
  /** The same id while a job lives is the same job. No colon. */
  readonly id: string;
  readonly data: unknown;
  /** Epoch milliseconds. */
  readonly dueMs: number;
  /** Published to the workers before the job is added, on the same connection; nothing depends on its being heard. */
  readonly publish?: string;
}

/** The channel on which what wake-ups of this kind publish is heard. */
export function channelOf(queues: Queues, { kind }: Job): string {
  return `${queues.prefix}:${kind}`;
}

/** Publishes and adds planned wake-ups. Never fails: what is lost, the sweeper finds. */
export function wakePlanned(
  ctx: {
    queues: Queues;
    redis: { queues: { publish(channel: string, message: string): Promise<unknown> } };
    clock: { now(): number };
  },
  wakeUps: readonly PlannedWakeUp[],
): void {
  const nowMs = ctx.clock.now();
  for (const { job, publish } of wakeUps)
    if (publish !== undefined)
      ctx.redis.queues.publish(channelOf(ctx.queues, job), publish).catch(() => undefined);
  for (const [job, together] of Map.groupBy(wakeUps, (wakeUp) => wakeUp.job))
    ctx.queues.wake(
      job,
      together.map(({ id, data, dueMs }) => ({ id, job: data, delayMs: dueMs - nowMs })),
    );
}
