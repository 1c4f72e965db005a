import type { ClientSession } from 'mongoose';
import type { Context } from '../platform/context/context.ts';
import { DomainError } from '../platform/basics/errors.ts';
import type { Organization } from './model.ts';

/** The organization, or `not_found`. Within a transaction, as of its snapshot. */
export async function readOrganization(
  ctx: Context,
  orgId: string,
  transaction?: ClientSession,
): Promise<Organization> {
  const query = ctx.db.organizations.findById(orgId).lean();
  if (transaction) query.session(transaction);
  const organization = await query;
  if (!organization) throw new DomainError('not_found', 'There is no such organization.');
  return organization;
}

/** The timezone in force at a moment. */
export function timezoneAt(organization: Pick<Organization, 'timezones'>, epochMs: number): string {
  const inForce = organization.timezones.findLast((entry) => entry.from.getTime() <= epochMs);
  return inForce?.timezone ?? 'UTC';
}
