import { EXPORT_RUN_KEPT_DAYS } from '../../../platform/basics/contract.ts';
import { collection } from '../../../platform/mongo/collection.ts';
import { mapOf, nullable, object, optional } from '../../../platform/mongo/fields.ts';
import { keptForDays } from '../../../platform/mongo/retention.ts';
import { sealedRows } from '../../../platform/mongo/sealed-rows.ts';
import type { Format } from '../../exports/encode.ts';
import type { Billed, FocusVersion } from '../../exports/focus/columns.ts';
import type { FailureCode } from './failures.ts';

/** Where exports go: a bucket of a server that speaks S3, or a folder of this machine. */
export const DESTINATION_KINDS = ['s3', 'folder'] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

export const DESTINATION_LEVELS = ['focus', 'daily', 'sessions'] as const;

/** A table that a destination gets. `focus_version` and `billed` are there for `focus` alone. */
export interface DestinationLevel {
  level: (typeof DESTINATION_LEVELS)[number];
  format: Format;
  focus_version?: FocusVersion;
  billed?: Billed;
}

/** A bucket and who may write to it. */
export interface Bucket {
  endpoint: string;
  region: string;
  bucket: string;
  access_key_id: string;
  path_style: boolean;
}

/** A place that an organization's exports are written to each day. */
export interface Destination {
  _id: string;
  org_id: string;
  name: string;
  kind: DestinationKind;
  /** Null: a folder. */
  bucket: Bucket | null;
  prefix: string;
  /** Encrypted as the secret of a webhook is: never in jobs, logs or answers. Null: a folder. */
  secret: string | null;
  secret_set_at: Date | null;
  levels: DestinationLevel[];
  hour_utc: number;
  /** The first day, `2026-11-01`. */
  since: string;
  enabled: boolean;
  /** Grows with each change. A run that began with another one ends. */
  revision: number;
  /** Grows with each day that is recorded: so a change of the place and the record of a day at it conflict. */
  touches?: number;
  /** True where the place refuses a write whose condition does not hold; null before the first look. */
  conditional_writes: boolean | null;
  /** The run that is queued or under way. */
  run_id: string | null;
  last_run_id: string | null;
  /** The last day that was there at the end of a run; before the first one the day before `since`. */
  through: string;
  /** Failed runs in a row, since when, and why the last one failed. */
  failures: number;
  failing_since: Date | null;
  code: FailureCode | null;
  /** When `export.failed` said so, and when the admins got a mail about it; null in a streak of which they have not heard. */
  told_at: Date | null;
  mailed_at: Date | null;
  last_success_at: Date | null;
  created_at: Date;
}

export const destinationRows = collection<Destination>('destinations', {
  about: 'A bucket or folder that an organization’s exports are written to.',
  fields: {
    _id: String,
    org_id: String,
    name: String,
    kind: String,
    bucket: nullable(
      object({
        endpoint: String,
        region: String,
        bucket: String,
        access_key_id: String,
        path_style: Boolean,
      }),
    ),
    prefix: String,
    secret: nullable(String),
    secret_set_at: nullable(Date),
    levels: [
      object({ level: String, format: String, focus_version: optional(String), billed: optional(String) }),
    ],
    hour_utc: Number,
    since: String,
    enabled: Boolean,
    revision: Number,
    touches: optional(Number),
    conditional_writes: nullable(Boolean),
    run_id: nullable(String),
    last_run_id: nullable(String),
    through: String,
    failures: Number,
    failing_since: nullable(Date),
    code: nullable(String),
    told_at: nullable(Date),
    mailed_at: nullable(Date),
    last_success_at: nullable(Date),
    created_at: Date,
  },
  indexes: [
    { key: { org_id: 1, created_at: 1 } },
    // For the one that is furthest behind.
    { key: { enabled: 1, through: 1 } },
  ],
});

export const destinationSecrets = sealedRows(destinationRows, { secret: (id) => id });

export const RUN_STATES = ['queued', 'running', 'succeeded', 'failed'] as const;
export const RUN_TRIGGERS = ['schedule', 'manual'] as const;

/** The days that a run is narrowed to, and whether it writes also what is unchanged. */
export interface RunOptions {
  from: string | null;
  to: string | null;
  force: boolean;
}

/** One attempt to bring a destination up to date. */
export interface ExportRun extends RunOptions {
  _id: string;
  org_id: string;
  destination_id: string;
  trigger: (typeof RUN_TRIGGERS)[number];
  /** 1 for the first one, which is followed by others while it fails. */
  attempt: number;
  state: (typeof RUN_STATES)[number];
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  partitions_written: number;
  partitions_unchanged: number;
  rows: number;
  bytes: number;
  code: FailureCode | null;
  detail: string | null;
}

export const exportRunRows = collection<ExportRun>('export_runs', {
  about: 'One attempt to bring a destination up to date.',
  fields: {
    _id: String,
    org_id: String,
    destination_id: String,
    trigger: String,
    attempt: Number,
    state: String,
    created_at: Date,
    started_at: nullable(Date),
    finished_at: nullable(Date),
    partitions_written: Number,
    partitions_unchanged: Number,
    rows: Number,
    bytes: Number,
    code: nullable(String),
    detail: nullable(String),
    from: nullable(String),
    to: nullable(String),
    force: Boolean,
  },
  indexes: [{ key: { destination_id: 1, created_at: 1, _id: 1 } }, { key: { created_at: 1 } }],
});

export const PARTITION_STATES = ['open', 'final'] as const;

/** A day of a level at a destination in one billing period, as its manifest says. */
export interface ExportPartition {
  /** `partitionId(...)`. */
  _id: string;
  org_id: string;
  destination_id: string;
  level: DestinationLevel['level'];
  day: Date;
  /** The month that bills it, `2026-11`: that of the day, or for its corrections a later one. */
  billing_period: string;
  /** `final`: its month is closed, and it never changes. */
  state: (typeof PARTITION_STATES)[number];
  /** A hash of all that its files are made of: while it is the same, so are they. */
  fingerprint: string;
  /** Null: the day has no rows, and never had. */
  manifest_key: string | null;
  etag: string | null;
  files: number;
  rows: number;
  bytes: number;
  /** Dollars with nine decimals, by column. */
  sums: Record<string, string>;
  written_at: Date;
  /** Names of files beside the manifest that it no longer names, and that are not deleted yet. */
  leftover: string[];
}

export const exportPartitionRows = collection<ExportPartition>('export_partitions', {
  about: 'A day of a table at a destination, as its manifest says.',
  fields: {
    _id: String,
    org_id: String,
    destination_id: String,
    level: String,
    day: Date,
    billing_period: String,
    state: String,
    fingerprint: String,
    manifest_key: nullable(String),
    etag: nullable(String),
    files: Number,
    rows: Number,
    bytes: Number,
    sums: mapOf(String),
    written_at: Date,
    leftover: [String],
  },
  indexes: [{ key: { destination_id: 1, day: 1, _id: 1 } }],
});

export const exportRunRetention = keptForDays(
  'export_runs',
  exportRunRows,
  'created_at',
  EXPORT_RUN_KEPT_DAYS,
);
