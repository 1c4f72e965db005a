import { DomainError } from '../../../platform/basics/errors.ts';

/** The reader of a question: an organization as a whole, or one user of it (a key that is bound to that user, or that person). */
export interface Reader {
  orgId: string;
  userId: string | null;
}

/** A user that no signal can name, because ids are never empty. */
const NOBODY = '';

/** The filter as this reader may use it: one that asks for another user than its own matches nothing. */
export function narrowToReader<Filter extends { user_id?: string | undefined }>(
  { userId }: Reader,
  filter: Filter,
): Filter {
  if (userId === null) return filter;
  const asksForAnother = filter.user_id !== undefined && filter.user_id !== userId;
  return { ...filter, user_id: asksForAnother ? NOBODY : userId };
}

/** True when a reader may see a row that belongs to one user of one organization. */
export function maySee({ orgId, userId }: Reader, row: { org_id: string; user_id: string }): boolean {
  return row.org_id === orgId && (userId === null || row.user_id === userId);
}

/** The organization of a reader that may see and change all of it. Throws `missing_scope` for one user's reader. */
export function wholeOrganization({ orgId, userId }: Reader): string {
  if (userId === null) return orgId;
  throw new DomainError(
    'missing_scope',
    'This key is bound to one user. Use a key that is bound to none: this concerns the whole organization.',
  );
}
