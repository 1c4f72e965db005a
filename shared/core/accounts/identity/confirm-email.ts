import { foldEmail } from '../../../platform/basics/email.ts';
import type { Context } from '../../../platform/context/context.ts';
import { type Member, memberRows } from '../organizations/model.ts';
import type { Claims } from './invitations.ts';

/** Notes that a member has signed in with the e-mail that the organization has for the member: mail may go there from now on. */
export async function confirmEmail(
  ctx: Context,
  { _id, email, email_confirmed }: Member,
  claims: Claims,
): Promise<void> {
  if (email === null || email_confirmed || !claims.isVerified) return;
  if (claims.email === null || foldEmail(claims.email) !== email) return;
  // An admin who writes another e-mail at this moment leaves it unconfirmed.
  await memberRows(ctx).updateOne({ _id, email }, { $set: { email_confirmed: true } });
}
