import { within } from '../../../platform/basics/within.ts';
import type { Context } from '../../../platform/context/context.ts';
import { type Member, memberRows } from '../organizations/model.ts';
import type { Identity } from './verify-access-token.ts';

/** As long as keys are looked up. */
const LOOK_UP_MS = 5_000;

/**
 * The member behind an identity, or null. The same subject of another issuer is another person. Throws a store error after
 * 5 s: a connection may be dark.
 */
export async function findMemberByIdentity(ctx: Context, { iss, sub }: Identity): Promise<Member | null> {
  return findPresent(ctx, { 'idp.iss': iss, 'idp.sub': sub });
}

/** The member whose account this is, or null once it is removed. Throws a store error after 5 s. */
export async function findMemberByAccount(ctx: Context, accountId: string): Promise<Member | null> {
  return findPresent(ctx, { _id: accountId });
}

async function findPresent(ctx: Context, which: Record<string, string>): Promise<Member | null> {
  const member = await within(LOOK_UP_MS, 'A look-up of a member', memberRows(ctx).findOne(which));
  return member && member.removed_at === null ? member : null;
}
