import { type Member, memberRows } from '../organizations/model.ts';
import type { Context } from '../platform/context/context.ts';
import type { Identity } from './verify-access-token.ts';

/** The member behind an identity, or null. The same subject of another issuer is another person. */
export async function findMemberByIdentity(ctx: Context, { iss, sub }: Identity): Promise<Member | null> {
  const member = await memberRows(ctx).findOne({ 'idp.iss': iss, 'idp.sub': sub });
  return member && member.removed_at === null ? member : null;
}
