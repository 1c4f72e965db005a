import { z } from 'zod';
import type { Caller } from '../../shared/core/limits/enforcement/state/budget-status.ts';
import { NO_PROJECT } from '../../shared/platform/basics/contract.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { text } from '../../shared/platform/basics/text.ts';
import type { ApiKeyPrincipal } from '../basics/route.ts';

/** Tokens that one call may be estimated at. */
export const MOST_TOKENS = 2_000_000_000;
/** US dollars that one call may be estimated at. */
export const ESTIMATE_USD = 1_000_000;
const estimate = z.number().max(ESTIMATE_USD).describe('Estimated cost of the call, in US dollars');

/** A call that somebody is about to make. */
const call = {
  user_id: text(256).optional().describe("Who makes the call; a bound key's own user by default"),
  project_id: text(256).optional().describe("Where; the key's project by default, else `unassigned`"),
  model: text(256).optional().describe('With which model; a free one passes every budget of cost'),
  provider: text(128).optional().describe('Of whom, as signals name it'),
  adapter: text(128).optional().describe('By which tool, as signals name it'),
};
const clientSession = text(256)
  .optional()
  .describe('The session of the client, as `metadata.client_session_id` of its signals');
const tokens = z.int().min(0).max(MOST_TOKENS).optional();

export const checkInput = z.strictObject({
  ...call,
  estimate_usd: estimate.min(0).optional(),
  client_session_id: clientSession,
});

export const reserveInput = z.strictObject({
  ...call,
  estimate_usd: estimate.min(0).optional(),
  tokens_in: tokens.describe(
    'Instead of `estimate_usd`: expected input tokens, priced by a price rule or the list',
  ),
  tokens_out: tokens.describe('Likewise: the most output tokens that the call may use'),
  ttl_s: z.int().min(1).max(3_600).describe('Seconds after which the reservation ends by itself'),
  client_session_id: clientSession,
});
export const releaseInput = z.strictObject({ reservation_id: text(128) });

/** The caller of a call, as its signal will name it. Throws `missing_scope` when a bound key names another user. */
export function callerOf(
  { orgId, userId, projectId }: ApiKeyPrincipal,
  { user_id, project_id, model, provider, adapter }: Asked = {},
): Caller {
  if (userId !== null && user_id !== undefined && user_id !== userId)
    throw new DomainError('missing_scope', 'This key is bound to one user, and asks for no other.');
  const caller = {
    orgId,
    userId: userId ?? user_id ?? null,
    projectId: project_id ?? projectId ?? NO_PROJECT,
  };
  return { ...caller, call: { model, provider, adapter } };
}

type Asked = z.output<z.ZodObject<typeof call>>;
