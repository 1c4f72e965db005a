import { z } from 'zod';
import { dateAt, unixSeconds } from '../../../platform/basics/clock.ts';
import { SOME_CHANGE, text } from '../../../platform/basics/text.ts';
import { type Dismissal, MAILED_DIGESTS, type Preferences } from './model.ts';

/** Dismissals of one request. More than are kept make no sense, but harm nobody. */
const DISMISSED_AT_ONCE = 1_000;

const digest = z.enum(MAILED_DIGESTS).describe('How often the person gets a digest by mail');
const id = text(512).describe('The notice: its kind, object and occurrence');
const until = z
  .int()
  .min(0)
  .max(253_402_300_799)
  .nullable()
  .describe('When the notice comes back, in Unix seconds; null: never');

export const preferencesView = z.strictObject({
  digest,
  dismissed: z.array(z.strictObject({ id: z.string(), until })).describe('Dismissed notices, oldest first'),
});

export const preferencesChange = z
  .strictObject({
    digest: digest.optional(),
    dismissed: z
      .array(z.strictObject({ id, until }))
      .max(DISMISSED_AT_ONCE)
      .optional()
      .describe(
        'Notices that are dismissed, in addition to those before; a time that has passed shows a notice again. The newest 200 are kept',
      ),
  })
  .refine(...SOME_CHANGE);
export type PreferencesChange = z.output<typeof preferencesChange>;

/** Preferences as `preferencesView` shows them: dismissals whose time has passed are left out. */
export function viewPreferences(
  { digest: chosen, dismissed }: Preferences,
  nowMs: number,
): z.output<typeof preferencesView> {
  return {
    digest: chosen,
    dismissed: dismissed
      .filter((each) => isInForce(each, nowMs))
      .map((each) => ({ id: each.id, until: each.until && unixSeconds(each.until) })),
  };
}

export function isInForce({ until: end }: Dismissal, nowMs: number): boolean {
  return end === null || end.getTime() > nowMs;
}

export function dismissalOf(given: { id: string; until: number | null }): Dismissal {
  return { id: given.id, until: given.until === null ? null : dateAt(given.until * 1_000) };
}
