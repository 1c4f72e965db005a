import { z } from 'zod';
import { timezone } from '../../../../platform/basics/text.ts';

/** Percentages at which one webhook may ask to be told, at most. */
const ALERTS = 10;
const MOST_PER_CENT = 1_000;

export const DIGESTS = ['none', 'daily', 'weekly'] as const;
export type Digest = (typeof DIGESTS)[number];

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, such as 22:00');

const quietHours = z
  .strictObject({
    from: clockTime.describe('The time of day at which they begin').meta({ examples: ['22:00'] }),
    to: clockTime.describe('The time of day at which they end').meta({ examples: ['07:00'] }),
    timezone,
  })
  .refine(({ from, to }) => from !== to, 'must not begin when they end');

/** Hours in which a webhook is sent nothing but what is urgent. `from` is in them, `to` is not; they may span midnight. */
export type QuietHours = z.output<typeof quietHours>;

/** When a webhook is told of what, beside its `events`, as a caller sends it and as it is shown. */
export const alertSettings = {
  alert_at: z
    .array(z.int().min(1).max(MOST_PER_CENT))
    .max(ALERTS)
    .refine((percents) => new Set(percents).size === percents.length, 'must not repeat a number')
    .describe(
      'Percentages of a budget: `budget.threshold` is sent for each that is reached, to a channel for the highest of several',
    ),
  forecast: z
    .boolean()
    .describe('Whether `budget.forecast` is sent once a budget will be exceeded at the pace so far')
    .meta({ examples: [true] }),
  quiet_hours: quietHours
    .nullable()
    .describe('Hours that delay everything but `budget.exceeded` and `credit.depleted`'),
  digest: z
    .enum(DIGESTS)
    .describe('Collects everything but `budget.exceeded` and `credit.depleted` into one message'),
};

/** The settings of a webhook that was registered without any. */
export const NO_ALERTS = { alert_at: [], forecast: false, quiet_hours: null, digest: 'none' } as const;
