import { z } from 'zod';
import { collection } from '../mongo/collection.ts';
import { anything, optional } from '../mongo/fields.ts';
import { type Job, job } from '../queues/job.ts';

/**
 * Something that asks for work at a time, written in the transaction of the change that asks for it. A row changes by
 * delete and insert, because the index keeps what an update leaves (docs/stores.md); `raiseDue` changes no indexed field.
 */
export interface DueRow {
  /** `dueId(...)`: kind and key, and the shard of what is raised by many at once. */
  _id: string;
  /** Kind of the job that does the work, which is the name of its queue. */
  kind: string;
  /** The object of the work; the wake-up carries it. */
  key: string;
  org_id: string;
  due_at: Date;
  /** How often the work has failed in a row; absent before the first time. */
  failures?: number;
  /** Grows with each raise. */
  touches?: number;
  /** The claim, once a worker has the row. */
  claim_id?: string;
}

export const dueRows = collection<DueRow>('due', {
  about: 'Something that asks for work at a time.',
  fields: {
    _id: String,
    kind: String,
    key: String,
    org_id: String,
    due_at: Date,
    failures: optional(Number),
    touches: optional(Number),
    claim_id: optional(String),
    '*': anything,
  },
  shardKey: { _id: 'hashed' },
  indexes: [{ key: { due_at: 1 } }, { key: { kind: 1, org_id: 1, _id: 1 } }],
});

/** The job of a kind of due row: it carries the row's key. */
export type DueJob = Job<{ key: string }>;

export function dueJob(kind: string): DueJob {
  return job(kind, { key: z.string() });
}

/** The primary key of a due row, so that a kind has at most one per key, or per key and shard. */
export function dueId({ kind }: DueJob, key: string, shard?: number | 'claimed'): string {
  return shard === undefined ? `${kind} ${key}` : `${kind} ${key}/${shard}`;
}
