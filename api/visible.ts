import type { ApiKeyPrincipal } from './route.ts';

/** A user that no signal can name, as ids are never empty: of another user a bound key sees nothing. */
const NOBODY = '';

/** The filter, narrowed to the one user of a bound key. */
export function visibleTo<Filter extends { user_id?: string | undefined }>(
  principal: ApiKeyPrincipal,
  filter: Filter,
): Filter {
  if (principal.userId === null) return filter;
  const asksForAnother = filter.user_id !== undefined && filter.user_id !== principal.userId;
  return { ...filter, user_id: asksForAnother ? NOBODY : principal.userId };
}
