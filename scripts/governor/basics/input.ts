import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { DomainError } from '../../../shared/platform/basics/errors.ts';
import { faultsOf, IN_PLAIN_WORDS } from '../../../shared/platform/basics/faults.ts';
import { instantOrUtc } from '../../../shared/platform/basics/text.ts';

/** The most wrong values that an error names. */
const MAX_FAULTS = 5;

/** The input of a command, as the api takes it. Throws `invalid_request`. */
export function checkInput<Schema extends z.ZodType>(
  schema: Schema,
  given: z.input<Schema>,
): z.output<Schema> {
  const parsed = schema.safeParse(given, IN_PLAIN_WORDS);
  if (parsed.success) return parsed.data;
  const faults = faultsOf(parsed.error, MAX_FAULTS);
  const lines = faults.map(({ path, detail }) =>
    path.length > 0 ? `${path.join('.')}: ${detail}` : `The input ${detail}`,
  );
  throw new DomainError('invalid_request', `${lines.join('; ')}.`);
}

/** A whole number of an option. */
export function parseInteger(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}

/** A date or time of an option. */
export function parseTime(value: string): Date {
  const parsed = z.union([instantOrUtc, z.iso.date().transform(Date.parse)]).safeParse(value);
  if (!parsed.success) throw new InvalidArgumentError('It must be an ISO 8601 date or time.');
  return new Date(parsed.data);
}

/** A day of UTC of an option. */
export function parseDay(value: string): string {
  if (!z.iso.date().safeParse(value).success)
    throw new InvalidArgumentError('It must be a date such as 2026-01-31.');
  return value;
}

/** The address of an api. */
export function parseAddress(value: string): string {
  if (!z.url({ protocol: /^https?$/ }).safeParse(value).success)
    throw new InvalidArgumentError('It must be like https://governor.example.com.');
  return value;
}

/** A number of an option, or null for `off`. */
export function parseLimit(value: string): number | null {
  if (value === 'off') return null;
  if (!/^\d{1,15}(\.\d{1,9})?$/.test(value)) throw new InvalidArgumentError('It must be a number or `off`.');
  return Number(value);
}
