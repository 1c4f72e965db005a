import type { ClientSession } from 'mongoose';
import { foldEmail } from '../platform/basics/email.ts';
import { DomainError } from '../platform/basics/errors.ts';
import type { Context } from '../platform/context/context.ts';
import { type Member, memberRows, organizationRows } from './model.ts';

/** E-mails as members have them, each once: who leaves is taken off a list of them by the member's e-mail. */
export function uniqueEmails(emails: readonly string[]): string[] {
  return [...new Set(emails.map(foldEmail))];
}

/** One answer for a member who never was and for one of another organization. */
export function noMember(): DomainError {
  return new DomainError('not_found', 'There is no such member.');
}

/**
 * Throws `conflict` when another present member of the organization has this e-mail: invited twice, nobody can tell which
 * invitation is meant. Of two who add it at one time one is refused only if both call `touchRoster`.
 */
export async function refuseTakenEmail(
  ctx: Context,
  { _id, org_id, email }: Pick<Member, '_id' | 'org_id' | 'email'>,
  transaction: ClientSession,
): Promise<void> {
  const named = await memberRows(ctx).find({ email }, { session: transaction }).toArray();
  if (named.some((other) => other.org_id === org_id && other._id !== _id))
    throw new DomainError('conflict', 'A member of the organization has this e-mail already.');
}

/** Puts a member anew and does not update: the embedded store's unique index would keep an old identity (docs/stores.md). */
export async function replaceMember(ctx: Context, member: Member, transaction: ClientSession): Promise<void> {
  await memberRows(ctx).deleteOne({ _id: member._id }, { session: transaction });
  await memberRows(ctx).insertMany([member], { session: transaction });
}

/**
 * Throws `conflict` when without this admin nobody could manage the organization. An admin who was invited and has not
 * joined cannot, and perhaps never will.
 */
export async function refuseLastAdmin(
  ctx: Context,
  leaving: Pick<Member, '_id' | 'org_id' | 'role' | 'idp' | 'removed_at'>,
  transaction?: ClientSession,
): Promise<void> {
  if (leaving.role !== 'admin' || leaving.removed_at !== null) return;
  const members = await memberRows(ctx)
    .find({ org_id: leaving.org_id }, transaction ? { session: transaction } : {})
    .toArray();
  const others = members.filter(
    ({ _id, role, removed_at }) => _id !== leaving._id && role === 'admin' && removed_at === null,
  );
  if (!others.some(({ idp }) => idp !== undefined || leaving.idp === undefined))
    throw new DomainError(
      'conflict',
      'This is the last admin who has joined. Make another member who has joined an admin first.',
    );
}

/**
 * Writes the organization's row, also when nothing else of it changes: of two admins who demote each other at one time,
 * one meets the other's write and looks again. Keeps the list of whom alerts go to.
 */
export async function touchRoster(
  ctx: Context,
  orgId: string,
  change: { with?: string | null; without?: string | null },
  transaction: ClientSession,
): Promise<void> {
  const update = { $inc: { roster_changes: 1 } };
  await organizationRows(ctx).updateOne(
    { _id: orgId },
    change.without
      ? { ...update, $pull: { admin_emails: change.without, vouched_emails: change.without } }
      : update,
    { session: transaction },
  );
  if (!change.with) return;
  await organizationRows(ctx).updateOne(
    { _id: orgId },
    { $addToSet: { admin_emails: change.with } },
    { session: transaction },
  );
}

/**
 * Writes the row of a present member, for a transaction that makes something for the member: it meets a conflict with a
 * removal at the same time, and with another that makes something. False when there is no such member any more.
 */
export async function touchMember(
  ctx: Context,
  member: Pick<Member, '_id'> | Pick<Member, 'org_id' | 'user_id'>,
  transaction: ClientSession,
): Promise<boolean> {
  const { matchedCount } = await memberRows(ctx).updateOne(
    { ...member, removed_at: null },
    { $inc: { touches: 1 } },
    { session: transaction },
  );
  return matchedCount > 0;
}
