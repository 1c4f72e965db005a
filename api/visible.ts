import type { UsageFilter } from '../shared/usage/read-usage.ts';
import type { ApiKeyPrincipal } from './route.ts';

/** A user that no signal can name, as ids are never empty: of another user a bound key sees nothing. */
const NOBODY = '';

/** The filter, narrowed to the one user of a bound key. */
export function visibleTo(principal: ApiKeyPrincipal, filter: UsageFilter): UsageFilter {
  if (principal.userId === null) return filter;
  const asksForAnother = filter.user_id !== undefined && filter.user_id !== principal.userId;
  return { ...filter, user_id: asksForAnother ? NOBODY : principal.userId };
}
