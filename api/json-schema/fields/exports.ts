import { type Fields, TIME } from './field.ts';

/** Fields of destinations of exports, their runs and their days. */
export const exportFields: Fields = {
  access_key_id: ['The id of the access key', 'AKIAIOSFODNN7EXAMPLE'],
  secret_access_key: ['The secret of the access key', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
  endpoint: ['The origin of the server', 'https://s3.eu-central-1.amazonaws.com'],
  region: ['The region of the bucket', 'eu-central-1'],
  prefix: ['Below this everything is written', 'exports/governor'],
  path_style: ['The bucket is in the path', true],
  hour_utc: ['The hour of the day, UTC', 3],
  secret_set_at: ['When the secret was last set', TIME],
  next_run_at: ['When the next run begins', TIME],
  destination_id: ['The destination of exports', 'dst_3Kf9XqLm2TzVb7Rw8YcN1p'],
  last_success_at: ['When a run last succeeded', '2026-01-14T03:00:12.000Z', null],
  behind_days: ['Finished days that are not there yet', 0],
  conditional_writes: ['Whether the place refuses writes whose condition does not hold', true],
  run_id: ['The run', 'run_3Kf9XqLm2TzVb7Rw8YcN1p'],
  trigger: ['Why it began', 'schedule'],
  finished_at: ['When it ended', TIME],
  partitions_written: ['Days of tables that were written', 3],
  partitions_unchanged: ['Days of tables that were there already', 66],
  rows: ['Rows', 41_250],
  bytes: ['Bytes', 812_331],
  files: ['Files', 1],
  force: ['Writes also what is unchanged', false],
  ok: ['Whether it works', true],
  billing_period: ['The month', '2026-01'],
  manifest_key: [
    'Where the manifest is',
    'exports/governor/focus/1.2/billing_period=2026-01/charge_date=2026-01-14/manifest.json',
  ],
  written_at: ['When it was last written', TIME],
};
