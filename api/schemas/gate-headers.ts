import { z } from 'zod';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { faultsOf, IN_PLAIN_WORDS } from '../../shared/platform/basics/faults.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { ESTIMATE_USD, MOST_TOKENS } from './call.ts';

export const gateHeaders = {
  'X-Governor-Key': {
    description: "The API key, where `Authorization` is the model provider's",
    example: 'ugk_…',
  },
  'X-Governor-User': { description: "Who makes the call; a bound key's own user only", example: 'ada' },
  'X-Governor-Project': { description: 'Where', example: 'checkout' },
  'X-Governor-Model': { description: 'With which model', example: 'claude-sonnet-4-5' },
  'X-Governor-Provider': { description: 'Of whom', example: 'anthropic' },
  'X-Governor-Estimate-Usd': {
    description: 'Expected cost in US dollars, as a plain decimal',
    example: '0.25',
  },
  'X-Governor-Tokens-In': { description: 'Or the expected input tokens', example: '12000' },
  'X-Governor-Tokens-Out': { description: 'And the most output tokens', example: '4096' },
  'X-Governor-Ttl-S': {
    description: 'Seconds that the reservation lasts, 1 to 3,600; 600 by default',
    example: '600',
  },
  'X-Governor-Request-Id': { description: 'The idempotency key of the call', example: 'req-4f1c' },
  'X-Governor-Session': {
    description: 'The session of the client',
    example: '3f6c1c1e-9a0b-4a55-8a53-2b1c7a5f9d10',
  },
} as const;

const numberUpTo = (most: number, pattern: RegExp, fault: string) =>
  z
    .string()
    .regex(pattern, fault)
    .transform(Number)
    .refine((value) => value <= most, `must be at most ${most}`)
    .optional();
const decimal = (most: number) => numberUpTo(most, /^\d{1,10}(\.\d{1,9})?$/, 'must be a plain decimal');
const whole = (most: number) => numberUpTo(most, /^\d{1,10}$/, 'must be a whole number');

const fields = z.object({
  user_id: text(256).optional(),
  project_id: text(256).optional(),
  model: text(256).optional(),
  provider: text(128).optional(),
  estimate_usd: decimal(ESTIMATE_USD),
  tokens_in: whole(MOST_TOKENS),
  tokens_out: whole(MOST_TOKENS),
  ttl_s: whole(3_600)
    .refine((value) => value !== 0, 'must be at least 1')
    .transform((value) => value ?? 600),
  request_id: z.string().optional(),
  client_session_id: text(256).optional(),
});

const HEADER_OF: Readonly<Record<string, keyof typeof gateHeaders>> = {
  user_id: 'X-Governor-User',
  project_id: 'X-Governor-Project',
  model: 'X-Governor-Model',
  provider: 'X-Governor-Provider',
  estimate_usd: 'X-Governor-Estimate-Usd',
  tokens_in: 'X-Governor-Tokens-In',
  tokens_out: 'X-Governor-Tokens-Out',
  ttl_s: 'X-Governor-Ttl-S',
  request_id: 'X-Governor-Request-Id',
  client_session_id: 'X-Governor-Session',
};

/** The call that the headers of a request to the gate describe. Throws `invalid_request` that names the headers. */
export function readGateHeaders(header: (name: string) => string | undefined): z.output<typeof fields> {
  const given = Object.entries(HEADER_OF).flatMap(([field, name]) => {
    const value = header(name);
    return value === undefined || value === '' ? [] : [[field, utf8(value)]];
  });
  const parsed = fields.safeParse(Object.fromEntries(given), IN_PLAIN_WORDS);
  if (parsed.success) return parsed.data;
  const errors = faultsOf(parsed.error, 10).map(({ path, detail }) => ({
    parameter: HEADER_OF[path[0] ?? ''] ?? path.join('.'),
    detail,
  }));
  throw new DomainError('invalid_request', 'The headers of the gate are not valid.', { errors });
}

/** Node reads the bytes of a header as Latin-1. */
function utf8(value: string): string {
  return Buffer.from(value, 'latin1').toString();
}
