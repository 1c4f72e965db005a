import { z } from 'zod';
import { refuseNames } from '../../../platform/basics/refuse-names.ts';
import { instant, text, textOrEmpty } from '../../../platform/basics/text.ts';
import { pricedFieldsInput } from '../../pricing/priced-fields.ts';
import { repositoryField } from './repository-field.ts';

const TOKENS_MAX = 1_000_000_000;
const COST_USD_MAX = 10_000;
/** The longest that a call may have taken: a day. */
export const LATENCY_MAX_MS = 86_400_000;
/** Characters of a signal's id. */
export const ID_LENGTH = 128;

const tokens = z
  .int()
  .min(0)
  .max(TOKENS_MAX)
  // -0 becomes 0.
  .transform((count) => count + 0);
const code = text(128);

const intervention = z.strictObject({
  kind: code.describe('Sort of gate, such as tool_permission or guardrail'),
  verdict: z.enum(['allow', 'deny', 'modify', 'warn', 'escalate']).describe('Verdict of the gate'),
  action: z.enum(['allow', 'block', 'modify', 'escalate']).describe('Action that was taken'),
  source: code.describe('Source of the decision, such as config, user or hook'),
  policy_id: code.optional(),
  rule_id: code.optional(),
  reason: textOrEmpty(1_000).optional(),
  severity: code.optional(),
});

/** The store's client takes an object with `_bsontype` for a value of its own, and throws. */
const metadata = refuseNames(
  ['__proto__', '_bsontype'],
  z
    .record(text(256), textOrEmpty(256))
    .refine((pairs) => Object.keys(pairs).length <= 32, 'must be at most 32 pairs'),
);

/** One signal as posted. Every other member is refused, so that a typing error is seen. */
export const signalInput = z
  .strictObject({
    id: text(ID_LENGTH).describe("The client's id; with organization and adapter the idempotency key"),
    type: z.enum(['call', 'intervention']).default('call'),
    ts: instant.describe('When it happened: ISO 8601 with Z or an offset, seconds if you have them'),
    user_id: text(256).optional(),
    project_id: text(256).optional(),
    adapter: text(128).describe('Which tool sent it, such as claude-code'),
    model: text(256).optional(),
    provider: text(128).optional(),
    tokens_in: tokens
      .nullish()
      .describe('Input tokens, cached ones included; null when the call used some and nobody knows how many'),
    tokens_out: tokens.nullish(),
    cache_read_tokens: tokens.optional(),
    cache_write_tokens: tokens.optional(),
    ...pricedFieldsInput(tokens),
    cost_usd: z
      .number()
      .min(0)
      .max(COST_USD_MAX)
      .optional()
      .describe('As the adapter reports it; else priced here'),
    error: z.strictObject({ code, message: textOrEmpty(1_000).optional() }).optional(),
    latency_ms: z.number().min(0).max(LATENCY_MAX_MS).optional(),
    tool_name: text(256).optional(),
    metadata: metadata.optional(),
    intervention: intervention.optional(),
    reservation_id: text(128)
      .optional()
      .describe('The reservation that its cost replaces; an unknown one is ignored'),
    repository: repositoryField
      .optional()
      .describe('The repository that it was made for, by any address; no context overrules it'),
    branch: text(256).optional().describe('The branch; only beside a repository'),
    task: text(128).optional().describe('The task that it was made for; no context overrules it'),
  })
  .refine((signal) => signal.branch === undefined || signal.repository !== undefined, {
    path: ['branch'],
    error: 'belongs beside a repository',
  })
  .refine((signal) => (signal.type === 'intervention') === (signal.intervention !== undefined), {
    path: ['intervention'],
    error: 'belongs to type "intervention", and must be there then',
  })
  .refine(
    (signal) =>
      signal.type !== 'call' || signal.model !== undefined || !(signal.tokens_in || signal.tokens_out),
    {
      path: ['model'],
      error: 'is needed for a call with tokens',
    },
  );

export type SignalInput = z.output<typeof signalInput>;

export const signalResult = z.discriminatedUnion('status', [
  z.strictObject({ id: z.string(), status: z.literal('accepted'), session_id: z.string() }),
  z.strictObject({ id: z.string(), status: z.literal('duplicate'), session_id: z.string() }),
  z.strictObject({
    id: z.string(),
    status: z.literal('held'),
    held_id: z.string(),
    code: z.literal('implausible'),
    detail: z.string().describe('The limit that it is above'),
  }),
  z.strictObject({
    id: z.string().nullable(),
    status: z.literal('rejected'),
    code: z
      .string()
      .describe(
        '`invalid_signal user_required foreign_user id_taken ts_ahead ts_behind too_many_models too_many_values too_many_held discarded`; stable',
      ),
    detail: z.string(),
  }),
]);
export type SignalResult = z.output<typeof signalResult>;
