import { z } from 'zod';
import { checkAnswer } from '../../shared/core/limits/enforcement/check/view.ts';
import { ERRORS, type ErrorCode } from '../../shared/platform/basics/errors.ts';
import { type Json, jsonSchema } from '../json-schema/schema.ts';
import { API_WINGS } from '../wings/index.ts';

const bucket = z.strictObject({ credits: z.int().min(0), resets_at: z.int().nullable() });

/** The members of the problems of a code, beside those that all have. */
const MEMBERS: Partial<Record<ErrorCode, z.ZodRawShape>> = {
  invalid_request: {
    errors: fieldErrors().optional(),
    exact_from: z.string().optional().describe('From when on the question can be answered exactly'),
  },
  payload_too_large: { errors: fieldErrors().optional() },
  insufficient_credits: {
    balances: z.strictObject({ window: bucket, monthly: bucket, paid: bucket, granted: bucket }),
    next_refill: z.int().nullable(),
  },
  budget_refused: {
    refused_by: checkAnswer.shape.refused_by,
    retry_at: checkAnswer.shape.retry_at,
    retry_after_s: z.int().optional().describe('Seconds until `retry_at`'),
  },
  plan_required: { plan: z.string() },
  method_not_allowed: {
    allow: z.string().meta({ description: 'The methods that the path supports', examples: ['GET, HEAD'] }),
  },
  revoke_made_needed: {
    made: z.strictObject({
      keys: z.array(z.strictObject({ id: z.string(), name: z.string(), user_id: z.string().nullable() })),
      webhooks: z.array(z.strictObject({ id: z.string(), url: z.string() })),
      ...Object.assign({}, ...API_WINGS.map(({ made }) => made)),
    }),
  },
  too_many_requests: { retry_after_s: z.int() },
  conflict: {
    id: z.string().optional().describe('Id of the existing object'),
  },
  not_ready: { parts: z.record(z.string(), z.enum(['ok', 'failing'])).optional() },
};

function fieldErrors() {
  const fault = z.strictObject({
    pointer: z.string().optional(),
    parameter: z.string().optional(),
    detail: z.string(),
  });
  return z.array(fault).describe('Faults, field by field');
}

/** The problem documents of these codes as components, by name: RFC 9457, one schema per code. */
export function problemSchemas(codes: Iterable<ErrorCode>): Record<string, Json> {
  return Object.fromEntries([...codes].map((code) => [problemName(code), problemSchema(code)]));
}

function problemSchema(code: ErrorCode): Json {
  const { status, title } = ERRORS[code];
  const schema = z.strictObject({
    type: z.literal(`urn:usage-governor:problem:${code}`),
    title: z.literal(title),
    status: z.literal(status).describe('The HTTP status'),
    code: z.literal(code),
    detail: z.string().meta({ examples: [exampleOf(code)] }),
    ...MEMBERS[code],
    ...membersOfWings(code),
    request_id: z.string(),
  });
  return { ...jsonSchema(schema, 'output'), description: `${title}.` };
}

function membersOfWings(code: ErrorCode): z.ZodRawShape {
  return Object.fromEntries(API_WINGS.flatMap(({ problems }) => Object.entries(problems?.[code] ?? {})));
}

/** `invalid_request` has its own example; every other code shows its title. */
function exampleOf(code: ErrorCode): string {
  return code === 'invalid_request' ? 'tokens_in must be a whole number' : `${ERRORS[code].title}.`;
}

/** `insufficient_credits` is `InsufficientCreditsProblem`. */
export function problemName(code: ErrorCode): string {
  const words = code.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Problem`;
}

/** The schema of an answer that has one of these codes. */
export function problemOneOf(of: readonly ErrorCode[]): Json {
  const refs = of.map((code) => ({ $ref: `#/components/schemas/${problemName(code)}` }));
  const [only, ...others] = refs;
  if (only && others.length === 0) return only;
  const mapping = Object.fromEntries(of.map((code, index) => [code, refs[index]?.$ref]));
  return { oneOf: refs, discriminator: { propertyName: 'code', mapping } };
}
