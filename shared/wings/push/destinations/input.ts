import { z } from 'zod';
import { text } from '../../../platform/basics/text.ts';
import { FORMATS } from '../../exports/encode.ts';
import { BILLED, FOCUS_VERSIONS } from '../../exports/focus/columns.ts';
import { DESTINATION_LEVELS, type DestinationLevel } from './model.ts';

const PREFIX = /^[A-Za-z0-9._=-]+(?:\/[A-Za-z0-9._=-]+)*$/;
/** The rules of Amazon S3 for names of buckets. */
const BUCKET = /^(?!xn--)[a-z0-9](?:[a-z0-9-]|\.(?!\.)){1,61}[a-z0-9]$/;
const PRINTABLE = /^[\x21-\x7e]+$/;

export const day = z.iso
  .date()
  .meta({ examples: ['2026-01-01'] })
  .describe('A day of UTC');

const prefix = z
  .string()
  .max(200)
  .regex(PREFIX, 'must be parts of A-Z a-z 0-9 . _ = - with / between them')
  .refine(
    (value) => !value.split('/').some((part) => part === '.' || part === '..'),
    'must have no part . or ..',
  )
  .meta({ examples: ['exports/governor'] })
  .describe('Below this everything is written');

const level = z
  .strictObject({
    level: z.enum(DESTINATION_LEVELS).describe('The table'),
    format: z.enum(FORMATS).describe('The format of its files'),
    focus_version: z.enum(FOCUS_VERSIONS).optional().describe('Of `focus`; default `1.2`'),
    billed: z.enum(BILLED).optional().describe('Of `focus`; default `computed`'),
  })
  .refine(
    ({ level, focus_version, billed }) => level === 'focus' || (focus_version ?? billed) === undefined,
    'focus_version and billed go with the level focus',
  );

const levels = z
  .array(level)
  .min(1)
  .max(DESTINATION_LEVELS.length)
  .refine((all) => new Set(all.map(({ level }) => level)).size === all.length, 'must have each level once')
  .describe('The tables that are written');

const hour = z.int().min(0).max(23).describe('The hour of the day, UTC, at which it is written');
const origin = z
  .string()
  .max(300)
  .regex(/^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/, 'must be an origin, such as https://s3.example.com')
  .meta({ examples: ['https://s3.eu-central-1.amazonaws.com'] })
  .describe('The origin of the server');
const region = z
  .string()
  .regex(/^[a-z0-9-]{1,50}$/, 'must be a region, such as eu-central-1')
  .meta({ examples: ['eu-central-1'] })
  .describe('The region of the bucket');
const bucket = z
  .string()
  .regex(BUCKET, 'must be the name of a bucket')
  .refine((name) => !/^[\d.]+$/.test(name), 'must not look like an address')
  .meta({ examples: ['acme-finops'] })
  .describe('The bucket');
const accessKeyId = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\w./+=-]+$/, 'must be an access key id')
  .meta({ examples: ['AKIAIOSFODNN7EXAMPLE'] })
  .describe('The id of the access key');
const secretAccessKey = z
  .string()
  .min(1)
  .max(256)
  .regex(PRINTABLE, 'must be printable')
  .describe('The secret of the access key; never shown');
const pathStyle = z.boolean().describe('The bucket is in the path, not in the name of the host');

const common = {
  name: text(80).describe('Shown to people'),
  prefix,
  levels,
  hour_utc: hour.default(3),
  since: day.optional().describe('The first day; default: the first of this month'),
  enabled: z.boolean().default(true).describe('True when it is written each day'),
};

/** The body that adds a destination. */
export const destinationInput = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('s3'),
    ...common,
    endpoint: origin,
    region,
    bucket,
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    path_style: pathStyle.default(true),
  }),
  z.strictObject({ kind: z.literal('folder'), ...common }),
]);
export type DestinationInput = z.output<typeof destinationInput>;

export const destinationChange = z.strictObject({
  name: common.name.optional(),
  prefix: prefix.optional(),
  levels: levels.optional(),
  hour_utc: hour.optional(),
  since: day.optional().describe('The first day'),
  enabled: z.boolean().optional().describe('True when it is written each day'),
  endpoint: origin.optional(),
  region: region.optional(),
  bucket: bucket.optional(),
  access_key_id: accessKeyId.optional(),
  secret_access_key: secretAccessKey.optional(),
  path_style: pathStyle.optional(),
});
export type DestinationChange = z.output<typeof destinationChange>;

/** The levels with what FOCUS leaves to be chosen. */
export function withDefaults(given: readonly z.output<typeof level>[]): DestinationLevel[] {
  return given.map(({ level: name, format, focus_version = '1.2', billed = 'computed' }) =>
    name === 'focus' ? { level: name, format, focus_version, billed } : { level: name, format },
  );
}
