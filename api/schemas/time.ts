import { z } from 'zod';
import { readOrganization, timezoneAt } from '../../shared/organizations/read-organization.ts';
import { instantOrUtc } from '../../shared/platform/basics/iso-time.ts';
import type { Context } from '../../shared/platform/context/context.ts';

/** An ISO 8601 time, or a date, which means its first moment in a timezone that the handler knows. */
export const timeOrDate = z.union([instantOrUtc, z.iso.date().transform((date) => ({ midnightOf: date }))], {
  error: ({ input }) =>
    / \d\d(:?\d\d)?$/.test(String(input))
      ? 'must be an ISO 8601 time or date; in a query, write the + of an offset as %2B'
      : 'must be an ISO 8601 time or date',
});
export type TimeOrDate = z.output<typeof timeOrDate>;

/** The epoch ms of a value of `timeOrDate`. */
export function epochMsIn(timezone: string, value: TimeOrDate): number {
  if (typeof value === 'number') return value;
  return Temporal.PlainDate.from(value.midnightOf).toZonedDateTime(timezone).epochMilliseconds;
}

/** A list's `from` and `to` in epoch ms. Dates are in the organization's timezone. */
export async function listRange(
  ctx: Context,
  orgId: string,
  { from, to }: { from?: TimeOrDate | undefined; to?: TimeOrDate | undefined },
): Promise<{ fromMs: number | undefined; toMs: number | undefined }> {
  // Only a date needs the organization's timezone.
  const hasDate = typeof from === 'object' || typeof to === 'object';
  const timezone = hasDate ? timezoneAt(await readOrganization(ctx, orgId), ctx.clock.now()) : 'UTC';
  return {
    fromMs: from === undefined ? undefined : epochMsIn(timezone, from),
    toMs: to === undefined ? undefined : epochMsIn(timezone, to),
  };
}
