import { money } from '../../../parts/text/format.ts';
import { dateWords } from '../../../words/time.ts';
import type { Code, Destination, Partition, Run } from './queries.ts';

const DAY_MS = 86_400_000;

export const FORMATS = { parquet: 'Parquet', csv: 'CSV', ndjson: 'NDJSON' } as const;
export type Format = keyof typeof FORMATS;
export const LEVELS = {
  focus: 'Costs (FOCUS)',
  daily: 'Usage per day',
  sessions: 'Sessions',
} as const;
export type Level = keyof typeof LEVELS;

/** The act that mends a failure: a change of the settings, another run, or nothing, because it is tried again by itself. */
export type Mending = 'edit' | 'run' | 'wait';

/** Each failure in a person's words: the cause, and the next step. */
export const FAILURES: Readonly<Record<Code, { cause: string; step: string; mending: Mending }>> = {
  invalid_access_key: {
    cause: 'The server does not know the access key.',
    step: 'Enter a key that exists there, with its secret.',
    mending: 'edit',
  },
  signature_mismatch: {
    cause: 'The secret does not belong to the access key.',
    step: 'Enter the secret again.',
    mending: 'edit',
  },
  access_denied: {
    cause: 'The access key may not read, write, delete or list below the prefix.',
    step: 'Give it the rights that the guide shows, then run again.',
    mending: 'run',
  },
  no_such_bucket: {
    cause: 'There is no such bucket on this server.',
    step: 'Create it there, or correct its name here.',
    mending: 'edit',
  },
  wrong_region: {
    cause: 'The bucket is in another region.',
    step: 'Enter the region of the bucket.',
    mending: 'edit',
  },
  clock_skew: {
    cause: 'The clocks of the server and of this service differ too much.',
    step: 'Ask the operator to set the clock, then run again.',
    mending: 'run',
  },
  prefix_in_use: {
    cause: 'Another destination writes below this prefix, or wrote there before it got another one.',
    step: 'Choose another prefix. If nothing writes there any more, delete the file _governor.json below it and run again.',
    mending: 'edit',
  },
  not_allowed: {
    cause:
      'The operator of this service does not allow this place (any more), or a symbolic link is in the way.',
    step: 'Ask the operator to allow it (EXPORT_S3_ENDPOINTS, EXPORT_FOLDER), then run again.',
    mending: 'run',
  },
  unreachable: {
    cause: 'The server cannot be reached.',
    step: 'Check that it is up and that the endpoint is right.',
    mending: 'wait',
  },
  timeout: { cause: 'The server took too long.', step: 'Check that it is well.', mending: 'wait' },
  tls: {
    cause: 'The certificate of the server cannot be trusted.',
    step: 'It needs a valid certificate for the name in the endpoint.',
    mending: 'wait',
  },
  unavailable: {
    cause: 'The place cannot take files now.',
    step: 'Check that it is up and has room.',
    mending: 'wait',
  },
  spool_full: {
    cause: 'This service has no room to make the files.',
    step: 'Ask the operator to make room (EXPORT_SPOOL_DIR).',
    mending: 'wait',
  },
  sums_differ: {
    cause: 'The file did not add up to usage, so it was not written.',
    step: 'If it stays so, ask the operator to look into the log.',
    mending: 'wait',
  },
  stale: {
    cause: 'The destination was changed or paused while it ran, or the usage of a day kept changing.',
    step: 'The next run goes by what is there then.',
    mending: 'wait',
  },
  unexpected: {
    cause: 'Something failed on our side.',
    step: 'If it stays so, ask the operator to look into the log.',
    mending: 'wait',
  },
};

/** The last day that is over, `2026-11-22`. */
export function lastFinishedDay(nowMs: number = Date.now()): string {
  return dayAt(nowMs - DAY_MS);
}

/** The last day that is there with all days before it; null before the first one. */
export function throughOf(
  { behind_days, since }: Pick<Destination, 'behind_days' | 'since'>,
  nowMs: number = Date.now(),
): string | null {
  const day = dayAt(nowMs - (1 + behind_days) * DAY_MS);
  return day < since ? null : day;
}

/** How far the files of a destination reach: Days up to 22 Nov are there. */
export function reachText(destination: Pick<Destination, 'behind_days' | 'since'>): string {
  const through = throughOf(destination);
  const { behind_days } = destination;
  if (through === null)
    return behind_days === 0
      ? 'No day is over yet.'
      : `No day is there yet: ${daysText(behind_days)} behind.`;
  const behind = behind_days === 0 ? '' : `, ${daysText(behind_days)} behind`;
  return `Days up to ${dateWords(through)} are there${behind}.`;
}

export function daysText(days: number): string {
  return `${days} ${days === 1 ? 'day' : 'days'}`;
}

/** The place of a destination: s3.example.com/bucket/prefix. */
export function placeText({ endpoint, bucket, prefix }: Pick<Destination, 'endpoint' | 'bucket' | 'prefix'>) {
  if (endpoint === null) return `Folder ${prefix}`;
  return `${endpoint.replace(/^https?:\/\//, '')}/${bucket}/${prefix}`;
}

/** The tables of a destination with their formats. */
export function tablesText({ levels }: Pick<Destination, 'levels'>): string {
  return levels
    .map(({ level, format, focus_version }) => {
      const version = focus_version === undefined ? '' : ` ${focus_version}`;
      return `${level === 'focus' ? 'FOCUS' : LEVELS[level]}${version} as ${FORMATS[format]}`;
    })
    .join(', ');
}

export const RUN_STATES: Readonly<Record<Run['state'], readonly [sign: string, word: string]>> = {
  queued: ['pending', 'waiting'],
  running: ['open', 'under way'],
  succeeded: ['succeeded', 'succeeded'],
  failed: ['failing', 'failed'],
};

/** The cost of the calls of a partition, the same in each of its tables. FOCUS has it as the effective one. */
export function costOf({ sums }: Pick<Partition, 'sums'>): string {
  return money(Number(sums.EffectiveCost ?? sums.cost_usd));
}

/** A number of bytes: 812 B, 18.2 kB, 1.2 GB. */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const at = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** at;
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}

/** The days of a month from `first` to `last`, oldest first. */
export function daysOfMonth(month: string, first: string, last: string): string[] {
  const count = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate();
  return Array.from({ length: count }, (_, at) => `${month}-${String(at + 1).padStart(2, '0')}`).filter(
    (day) => day >= first && day <= last,
  );
}

/** The month before (-1) or after (1) a month like `2026-11`. */
export function monthBeside(month: string, by: 1 | -1): string {
  const start = Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1 + by, 1);
  return dayAt(start).slice(0, 7);
}

function dayAt(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}
