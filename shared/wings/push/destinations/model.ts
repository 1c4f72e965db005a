import { type Maker, makerField } from '../../../core/accounts/keys/model.ts';
import { EXPORT_RUN_KEPT_DAYS } from '../../../platform/basics/contract.ts';
import { collection, type RowOf } from '../../../platform/mongo/collection.ts';
import { mapOf, nullable, type ObjectOf, object, only, optional } from '../../../platform/mongo/fields.ts';
import { keptForDays } from '../../../platform/mongo/retention.ts';
import { sealedRows } from '../../../platform/mongo/sealed-rows.ts';
import type { Format } from '../../exports/encode.ts';
import type { Billed, FocusVersion } from '../../exports/focus/columns.ts';
import type { FailureCode } from './failures.ts';

/** Where exports go: a bucket of a server that speaks S3, or a folder of this machine. */
export const DESTINATION_KINDS = ['s3', 'folder'] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

export const DESTINATION_LEVELS = ['focus', 'daily', 'sessions'] as const;

const BUCKET = {
  endpoint: String,
  region: String,
  bucket: String,
  access_key_id: String,
  path_style: Boolean,
};

/** A bucket and who may write to it. */
export interface Bucket extends ObjectOf<typeof BUCKET> {}

/** `focus_version` and `billed` are there for `focus` alone. */
const LEVEL = {
  level: only<(typeof DESTINATION_LEVELS)[number]>(String),
  format: only<Format>(String),
  focus_version: optional(only<FocusVersion>(String)),
  billed: optional(only<Billed>(String)),
};

/** A table that a destination gets. */
export interface DestinationLevel extends ObjectOf<typeof LEVEL> {}

export const destinationRows = collection('destinations', {
  about: 'A bucket or folder that an organization’s exports are written to.',
  fields: {
    _id: String,
    org_id: String,
    name: String,
    kind: only<DestinationKind>(String),
    /** Null: a folder. */
    bucket: nullable(object(BUCKET)),
    prefix: String,
    /** The person or key that chose its server and bucket; absent where none was noted. */
    made_by: optional(only<Maker>(makerField)),
    /** Encrypted as the secret of a webhook is: never in jobs, logs or answers. Null: a folder. */
    secret: nullable(String),
    secret_set_at: nullable(Date),
    levels: [object(LEVEL)],
    hour_utc: Number,
    /** The first day, `2026-11-01`. */
    since: String,
    enabled: Boolean,
    /** Grows with each change. A run that began with another one ends. */
    revision: Number,
    /** Grows with each day that is recorded: so a change of the place and the record of a day at it conflict. */
    touches: optional(Number),
    /** True where the place refuses a write whose condition does not hold; null before the first look. */
    conditional_writes: nullable(Boolean),
    /** The run that is queued or under way. */
    run_id: nullable(String),
    last_run_id: nullable(String),
    /** The last day that was there at the end of a run; before the first one the day before `since`. */
    through: String,
    /** Failed runs in a row, since when, and why the last one failed. */
    failures: Number,
    failing_since: nullable(Date),
    code: nullable(only<FailureCode>(String)),
    /** When `export.failed` said so, and when the admins got a mail about it; null in a streak of which they have not heard. */
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

export interface Destination extends RowOf<typeof destinationRows> {}

export const destinationSecrets = sealedRows(destinationRows, { secret: (id) => id });

export const RUN_STATES = ['queued', 'running', 'succeeded', 'failed'] as const;
export const RUN_TRIGGERS = ['schedule', 'manual'] as const;

export const exportRunRows = collection('export_runs', {
  about: 'One attempt to bring a destination up to date.',
  fields: {
    _id: String,
    org_id: String,
    destination_id: String,
    trigger: only<(typeof RUN_TRIGGERS)[number]>(String),
    /** 1 for the first one, which is followed by others while it fails. */
    attempt: Number,
    state: only<(typeof RUN_STATES)[number]>(String),
    created_at: Date,
    started_at: nullable(Date),
    finished_at: nullable(Date),
    partitions_written: Number,
    partitions_unchanged: Number,
    rows: Number,
    bytes: Number,
    code: nullable(only<FailureCode>(String)),
    detail: nullable(String),
    from: nullable(String),
    to: nullable(String),
    force: Boolean,
    /** The time of the run that one on request was planned in place of: it follows then, or at once where that has passed. */
    next_at: optional(Date),
  },
  indexes: [{ key: { destination_id: 1, created_at: 1, _id: 1 } }, { key: { created_at: 1 } }],
});

export interface ExportRun extends RowOf<typeof exportRunRows> {}

/** The days that a run is narrowed to, and whether it writes also what is unchanged. */
export type RunOptions = Pick<ExportRun, 'from' | 'to' | 'force'>;

export const PARTITION_STATES = ['open', 'final'] as const;

export const exportPartitionRows = collection('export_partitions', {
  about: 'A day of a table at a destination, as its manifest says.',
  fields: {
    /** `partitionId(...)`. */
    _id: String,
    org_id: String,
    destination_id: String,
    level: only<DestinationLevel['level']>(String),
    day: Date,
    /** The month that bills it, `2026-11`: that of the day, or for its corrections a later one. */
    billing_period: String,
    /** `final`: its month is closed, and it never changes. */
    state: only<(typeof PARTITION_STATES)[number]>(String),
    /** A hash of all that its files are made of: while it is the same, so are they. */
    fingerprint: String,
    /** Null: the day has no rows, and never had. */
    manifest_key: nullable(String),
    etag: nullable(String),
    files: Number,
    rows: Number,
    bytes: Number,
    /** Dollars with nine decimals, by column. */
    sums: mapOf(String),
    written_at: Date,
    /** Names of files beside the manifest that it no longer names, and that are not deleted yet. */
    leftover: [String],
  },
  indexes: [{ key: { destination_id: 1, day: 1, _id: 1 } }],
});

export interface ExportPartition extends RowOf<typeof exportPartitionRows> {}

export const exportRunRetention = keptForDays(
  'export_runs',
  exportRunRows,
  'created_at',
  EXPORT_RUN_KEPT_DAYS,
);
