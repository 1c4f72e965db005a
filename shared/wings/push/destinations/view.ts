import { z } from 'zod';
import { makerView } from '../../../core/accounts/keys/view.ts';
import { isoTime } from '../../../platform/basics/clock.ts';
import { dayAt, daysBetween, lastFinishedDay } from '../../../platform/basics/utc-days.ts';
import { FORMATS } from '../../exports/encode.ts';
import { BILLED, FOCUS_VERSIONS } from '../../exports/focus/columns.ts';
import { FAILURE_CODES } from './failures.ts';
import {
  DESTINATION_KINDS,
  DESTINATION_LEVELS,
  type Destination,
  type ExportPartition,
  type ExportRun,
  PARTITION_STATES,
  RUN_STATES,
  RUN_TRIGGERS,
} from './model.ts';

const time = z.string().nullable();
export const DESTINATION_STATUSES = ['never_run', 'ok', 'failing', 'paused'] as const;
const code = z
  .enum(FAILURE_CODES)
  .nullable()
  .describe('Why the last run failed; null after one that did not');

export const runView = z.strictObject({
  id: z
    .string()
    .meta({ examples: ['run_3Kf9XqLm2TzVb7Rw8YcN1p'] })
    .describe('The run'),
  trigger: z.enum(RUN_TRIGGERS).describe('`schedule` at the hour of the destination, `manual` on request'),
  state: z.enum(RUN_STATES).describe('Queued, under way, or what came of it'),
  created_at: z.string().describe('When it was asked for, or came due'),
  started_at: time.describe('When a worker began it'),
  finished_at: time.describe('When it ended'),
  partitions_written: z.int().describe('Days of tables whose files were written'),
  partitions_unchanged: z.int().describe('Days of tables that were there already'),
  rows: z.int().describe('Rows that were written'),
  bytes: z.int().describe('Bytes that were written'),
  code: code.describe('Why it failed'),
  detail: z.string().nullable().describe('The same in words'),
});

export const destinationView = z.strictObject({
  id: z
    .string()
    .meta({ examples: ['dst_3Kf9XqLm2TzVb7Rw8YcN1p'] })
    .describe('The destination'),
  name: z.string().describe('Its name for people'),
  kind: z.enum(DESTINATION_KINDS).describe('A bucket, or a folder'),
  endpoint: z.string().nullable().describe('The origin of the server; null: a folder'),
  region: z.string().nullable().describe('The region of the bucket'),
  bucket: z.string().nullable().describe('The bucket'),
  prefix: z.string().describe('Below this everything is written'),
  access_key_id: z.string().nullable().describe('The id of the access key'),
  secret_set_at: time.describe('When its secret was last set'),
  path_style: z.boolean().nullable().describe('The bucket is in the path'),
  levels: z
    .array(
      z.strictObject({
        level: z.enum(DESTINATION_LEVELS).describe('The table'),
        format: z.enum(FORMATS).describe('The format of its files'),
        focus_version: z.enum(FOCUS_VERSIONS).optional().describe('The version of FOCUS'),
        billed: z.enum(BILLED).optional().describe('The meaning of BilledCost'),
      }),
    )
    .describe('The tables that are written'),
  hour_utc: z.int().describe('The hour of the day, UTC, at which it is written'),
  since: z.iso
    .date()
    .meta({ examples: ['2026-01-01'] })
    .describe('The first day'),
  enabled: z.boolean().describe('True when it is written each day'),
  made_by: makerView
    .optional()
    .describe('The person or key that chose its server and bucket; absent where none was noted'),
  created_at: z.string().describe('When it was added'),
  status: z.enum(DESTINATION_STATUSES).describe('`never_run` until the first run has succeeded'),
  code,
  conditional_writes: z
    .boolean()
    .nullable()
    .describe(
      'True when the place itself refuses the write of a worker that was overtaken; null: not tried yet',
    ),
  last_run: runView.nullable().describe('The newest run that has ended'),
  next_run_at: time.describe('When it is written next; null while it is paused'),
  behind_days: z.int().describe('Finished days that are not there yet'),
});

export const partitionView = z.strictObject({
  level: z.enum(DESTINATION_LEVELS).describe('The table'),
  charge_date: z
    .string()
    .meta({ examples: ['2026-01-14'] })
    .describe('The day'),
  billing_period: z
    .string()
    .meta({ examples: ['2026-01'] })
    .describe('The month that bills it: for corrections one after that of the day'),
  state: z
    .enum(PARTITION_STATES)
    .describe('`open`: a late call still changes it. `final`: its month is closed'),
  files: z.int().describe('Files of the day'),
  rows: z.int().describe('Rows in them'),
  bytes: z.int().describe('Bytes of them'),
  sums: z.record(z.string(), z.string()).describe('Sums of the columns of money, in dollars'),
  manifest_key: z.string().describe('Where the manifest of the day is'),
  written_at: z.string().describe('When the day was last written'),
});

const iso = (date: Date | null) => date && isoTime(date.getTime());

/** A destination with what it takes to show it. */
export interface ShownDestination {
  destination: Destination;
  lastRun: ExportRun | null;
  nextRunAt: Date | null;
}

/** Shows a destination; its secret never. */
export function viewDestination(
  { destination, lastRun, nextRunAt }: ShownDestination,
  nowMs: number,
): z.output<typeof destinationView> {
  const { _id, bucket, enabled, made_by, code: lastCode } = destination;
  return {
    id: _id,
    name: destination.name,
    kind: destination.kind,
    endpoint: bucket?.endpoint ?? null,
    region: bucket?.region ?? null,
    bucket: bucket?.bucket ?? null,
    prefix: destination.prefix,
    access_key_id: bucket?.access_key_id ?? null,
    secret_set_at: iso(destination.secret_set_at),
    path_style: bucket?.path_style ?? null,
    levels: destination.levels,
    hour_utc: destination.hour_utc,
    since: destination.since,
    enabled,
    ...(made_by ? { made_by } : {}),
    created_at: isoTime(destination.created_at.getTime()),
    status: statusOf(destination),
    code: lastCode,
    conditional_writes: destination.conditional_writes,
    last_run: lastRun && viewRun(lastRun),
    next_run_at: enabled ? iso(nextRunAt) : null,
    behind_days: daysBetween(destination.through, lastFinishedDay(nowMs)),
  };
}

function statusOf({
  enabled,
  failures,
  last_success_at,
}: Destination): (typeof DESTINATION_STATUSES)[number] {
  if (!enabled) return 'paused';
  if (failures > 0) return 'failing';
  return last_success_at === null ? 'never_run' : 'ok';
}

export function viewRun(run: ExportRun): z.output<typeof runView> {
  const { _id, trigger, state, partitions_written, partitions_unchanged, rows, bytes, code, detail } = run;
  return {
    id: _id,
    trigger,
    state,
    created_at: isoTime(run.created_at.getTime()),
    started_at: iso(run.started_at),
    finished_at: iso(run.finished_at),
    partitions_written,
    partitions_unchanged,
    rows,
    bytes,
    code,
    detail,
  };
}

export function viewPartition(partition: ExportPartition): z.output<typeof partitionView> {
  const { level, billing_period, state, files, rows, bytes, sums, manifest_key } = partition;
  return {
    level,
    charge_date: dayAt(partition.day.getTime()),
    billing_period,
    state,
    files,
    rows,
    bytes,
    sums,
    manifest_key: manifest_key ?? '',
    written_at: isoTime(partition.written_at.getTime()),
  };
}
