import { z } from 'zod';
import { readOrganization, timezoneAt } from '../shared/organizations/read-organization.ts';
import { instantOrUtc } from '../shared/platform/basics/iso-time.ts';
import type { Context } from '../shared/platform/context/context.ts';

/** An ISO 8601 time, or a date: the midnight that begins it in a timezone which the caller knows. */
export const timeOrDate = z.union(
  [instantOrUtc, z.iso.date().transform((date) => ({ midnightOf: date }))],
  'must be an ISO 8601 time or date',
);
export type TimeOrDate = z.output<typeof timeOrDate>;

/** Epoch ms of what `timeOrDate` read. */
export function epochMsIn(timezone: string, value: TimeOrDate): number {
  if (typeof value === 'number') return value;
  return Temporal.PlainDate.from(value.midnightOf).toZonedDateTime(timezone).epochMilliseconds;
}

/** What a list's `from` and `to` are, in epoch ms: dates are those of the organization's timezone. */
export async function listRange(
  ctx: Context,
  orgId: string,
  { from, to }: { from?: TimeOrDate | undefined; to?: TimeOrDate | undefined },
): Promise<{ fromMs: number | undefined; toMs: number | undefined }> {
  // Only a date needs the organization to be read.
  const hasDate = typeof from === 'object' || typeof to === 'object';
  const timezone = hasDate ? timezoneAt(await readOrganization(ctx, orgId), ctx.clock.now()) : 'UTC';
  return {
    fromMs: from === undefined ? undefined : epochMsIn(timezone, from),
    toMs: to === undefined ? undefined : epochMsIn(timezone, to),
  };
}
