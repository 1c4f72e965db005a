import { z } from 'zod';
import { IDEMPOTENCY_KEY } from '../../shared/platform/basics/contract.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { text } from '../../shared/platform/basics/text.ts';

/** Path parameters that several routes take. */
export const sessionParams = z.strictObject({ id: text(128).describe('Session id') });
export const budgetParams = z.strictObject({ id: text(128).describe('Budget id') });
export const budgetPersonParams = budgetParams.extend({ user_id: text(256).describe('User') });
export const webhookParams = z.strictObject({ id: text(128).describe('Webhook id') });
export const deliveryParams = webhookParams.extend({ delivery_id: text(128).describe('Delivery id') });
export const destinationParams = z.strictObject({ id: text(128).describe('Destination id') });
export const exportRunParams = destinationParams.extend({ run_id: text(128).describe('Run id') });
export const priceRuleParams = z.strictObject({ id: text(128).describe('Price rule id') });
export const repricingParams = z.strictObject({ id: text(128).describe('Repricing id') });
export const pullRequestParams = z.strictObject({ id: text(128).describe('Pull request id') });
export const codeHostParams = z.strictObject({ id: text(128).describe('Code host id') });
export const orgParams = z.strictObject({ orgId: text(128).describe('Organization id') });

/** A query parameter that is `true` or `false`. */
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

/** The `Idempotency-Key` that a route needs. Throws `invalid_request`. */
export function requiredIdempotencyKey(given: string | undefined): string {
  const key = idempotencyKey(given ?? '');
  if (key === null) throw badIdempotencyKey();
  return key;
}

/** The `Idempotency-Key`, or null without one. Throws `invalid_request`. */
export function idempotencyKey(given: string | undefined): string | null {
  if (given === undefined) return null;
  if (IDEMPOTENCY_KEY.test(given)) return given;
  throw badIdempotencyKey();
}

function badIdempotencyKey(): DomainError {
  return new DomainError(
    'invalid_request',
    'Send one Idempotency-Key of 1 to 128 printable ASCII characters without comma.',
    { errors: [{ parameter: 'Idempotency-Key', detail: 'is missing or not valid' }] },
  );
}

/** 1 to `most` ids, none of them twice. */
export function uniqueIds<Id extends z.ZodType<string>>(id: Id, most: number) {
  return z
    .array(id)
    .min(1)
    .max(most)
    .refine((ids) => new Set(ids).size === ids.length, 'must not repeat an id');
}

export const keyParams = z.strictObject({ id: text(128).describe('Key id') });

export const memberParams = z.strictObject({ user_id: text(256).describe('User id') });

/** Decides about the things that were made by a person who leaves or is no longer an admin. */
export const madeQuery = z.strictObject({
  revoke_made: flag
    .optional()
    .describe(
      'Whether what the person made ends too: keys are revoked, everything else is deleted. Needed where there is anything',
    ),
});
