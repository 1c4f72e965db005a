import { z } from 'zod';

/** A kind of job that a noun declares: its queue's name and the shape of what it carries, which is ids, never state. */
export interface Job<Data = unknown> {
  readonly kind: string;
  readonly data: z.ZodType<Data>;
}

/** Declares a kind of job. The kind is also the name of its BullMQ queue. */
export function job<Shape extends z.ZodRawShape>(kind: string, shape: Shape) {
  return { kind, data: z.strictObject(shape) } as const;
}

/** The data of a job of this kind. */
export type JobData<J extends Job> = z.output<J['data']>;
