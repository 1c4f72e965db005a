import { z } from 'zod';
import { dateAt } from '../../../../platform/basics/clock.ts';
import { instant } from '../../../../platform/basics/text.ts';

/** A time as GitLab writes it: ISO 8601, or `2026-01-01 10:00:00 UTC`, or with an offset in place of `UTC`. Epoch ms. */
export const gitlabInstant = z
  .string()
  .transform((text) =>
    text.replace(/^(\d{4}-\d\d-\d\d) (\S+) (?=UTC$|[+-]\d{4}$)/, '$1T$2').replace(/UTC$/, 'Z'),
  )
  .pipe(instant);

/** An optional time of an event as a Date. */
export function dateOrNull(epochMs: number | null | undefined): Date | null {
  return typeof epochMs === 'number' ? dateAt(epochMs) : null;
}
