import { DomainError } from '../platform/basics/errors.ts';
import type { ApiKey } from './model.ts';

/**
 * Refuses a key for all users that sets thresholds and asks whether calls fit, but may not read usage: by thresholds of its
 * choice and a yes or no it would read everybody's. Throws `invalid_request`.
 */
export function refuseGuessing({
  scopes,
  user_id,
}: {
  scopes: ApiKey['scopes'];
  user_id?: string | undefined;
}): void {
  if (user_id !== undefined || scopes.includes('usage:read')) return;
  if (!scopes.includes('budgets:write') || !scopes.includes('budgets:check')) return;
  const detail =
    'budgets:write and budgets:check together need usage:read, unless the key is bound to a user';
  throw new DomainError('invalid_request', `These scopes are refused: ${detail}.`, {
    errors: [{ pointer: '/scopes', detail }],
  });
}
