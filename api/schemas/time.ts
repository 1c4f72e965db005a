import { z } from 'zod';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { startOfDate, type Zones } from '../../shared/core/calls/usage/calendar.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { instantOrUtc } from '../../shared/platform/basics/text.ts';
import type { Context } from '../../shared/platform/context/context.ts';

/**
 * An ISO 8601 time, or a date, which means its first moment in a timezone that the handler knows. The document has one
 * text of both forms: of two, the generator for Java makes a type that it cannot send.
 */
export const timeOrDate = z
  .union([instantOrUtc, z.iso.date().transform((date) => ({ midnightOf: date }))], {
    error: ({ input }) =>
      / \d\d(:?\d\d)?$/.test(String(input))
        ? 'must be an ISO 8601 time or date; in a query, write the + of an offset as %2B'
        : 'must be an ISO 8601 time or date',
  })
  .meta({
    documentedAs: {
      type: 'string',
      pattern: `^(?:${patternOf(instantOrUtc)}|${patternOf(z.iso.date())})$`,
      examples: ['2026-11-01T09:30:00Z', '2026-11-01'],
    },
  });

function patternOf(schema: z.ZodType): string {
  return String(z.toJSONSchema(schema, { io: 'input' }).pattern).replaceAll(/^\^|\$$/g, '');
}

export type TimeOrDate = z.output<typeof timeOrDate>;

interface AskedRange {
  from?: TimeOrDate | undefined;
  to?: TimeOrDate | undefined;
}

interface EpochRange {
  fromMs: number | undefined;
  toMs: number | undefined;
}

/** `from` and `to` in epoch ms; a date begins in the timezone that held then. */
export function rangeIn(zones: Zones, { from, to }: AskedRange): EpochRange {
  const epochMs = (value: TimeOrDate | undefined) =>
    typeof value === 'object' ? startOfDate(zones, Temporal.PlainDate.from(value.midnightOf)) : value;
  return { fromMs: epochMs(from), toMs: epochMs(to) };
}

/** A list's `from` and `to` in epoch ms. Dates are in the organization's timezone. Throws `invalid_request` for a `from` after `to`. */
export async function listRange(ctx: Context, orgId: string, asked: AskedRange): Promise<EpochRange> {
  // Only a date needs the organization's timezone.
  const hasDate = typeof asked.from === 'object' || typeof asked.to === 'object';
  const range = rangeIn(hasDate ? (await readOrganization(ctx, orgId)).timezones : [], asked);
  if (range.fromMs !== undefined && range.toMs !== undefined && range.fromMs > range.toMs)
    throw new DomainError('invalid_request', 'from must not be after to.', {
      errors: [{ parameter: 'from', detail: 'must not be after to' }],
    });
  return range;
}
