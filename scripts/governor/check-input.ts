import type { z } from 'zod';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { faultsOf, IN_PLAIN_WORDS } from '../../shared/platform/basics/faults.ts';

/** How many wrong values are named. */
const FAULTS_TOLD = 5;

/** What the command line was given, as the api takes it. Throws `invalid_request`, which says what is wrong. */
export function checkInput<Schema extends z.ZodType>(
  schema: Schema,
  given: z.input<Schema>,
): z.output<Schema> {
  const parsed = schema.safeParse(given, IN_PLAIN_WORDS);
  if (parsed.success) return parsed.data;
  const faults = faultsOf(parsed.error, FAULTS_TOLD);
  const told = faults.map(({ path, detail }) => (path.length > 0 ? `${path.join('.')}: ${detail}` : detail));
  throw new DomainError('invalid_request', `${told.join('; ')}.`);
}
