import type { ClientSession } from 'mongoose';
import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { type Organization, organizationRows } from './model.ts';

/** The organization, as of the transaction's snapshot where one is given. Throws `not_found`. */
export async function readOrganization(
  ctx: Context,
  orgId: string,
  transaction?: ClientSession,
): Promise<Organization> {
  const options = transaction ? { session: transaction } : {};
  const organization = await organizationRows(ctx).findOne({ _id: orgId }, options);
  if (!organization) throw new DomainError('not_found', 'There is no such organization.');
  return organization;
}

/** The timezone in force at a moment. */
export function timezoneAt(organization: Pick<Organization, 'timezones'>, epochMs: number): string {
  const inForce = organization.timezones.findLast((entry) => entry.from.getTime() <= epochMs);
  return inForce?.timezone ?? 'UTC';
}
