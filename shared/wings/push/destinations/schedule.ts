import { DAY_MS } from '../../../platform/basics/interval.ts';
import type { Plan } from '../../../platform/context/commit-plan.ts';
import { setDue } from '../../../platform/due/plan-due.ts';
import { runDestinationJob } from './jobs.ts';
import type { Destination, ExportRun } from './model.ts';

/** The part of a run that the one after it repeats. */
export type DueRun = Pick<ExportRun, 'attempt' | 'trigger' | 'from' | 'to' | 'force' | 'next_at'>;

/** The rest of a run that has given its place to others. */
export interface RestOfRun {
  /** The next day to write. Days are written newest first. */
  day: string;
  /** The newest day of the run. */
  last: string;
  unchanged: number;
  /** The time that the run had its place. Milliseconds. */
  workedMs: number;
  /** The revision of the destination that it is about. */
  revision: number;
}

/** The first run of a day by the schedule. */
export const SCHEDULED: DueRun = { attempt: 1, trigger: 'schedule', from: null, to: null, force: false };

/** The next time that it is `hour` o'clock UTC, epoch ms. */
export function nextAtHour(hour: number, nowMs: number): number {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS + hour * 3_600_000;
  return today > nowMs ? today : today + DAY_MS;
}

/** Plans a run of a destination at a time, in place of the one that is planned. */
export function planRun({ _id, org_id }: Destination, dueMs: number, run: DueRun = SCHEDULED): Plan {
  return setDue<DueRun>(runDestinationJob, { key: _id, orgId: org_id, dueMs, details: run });
}
