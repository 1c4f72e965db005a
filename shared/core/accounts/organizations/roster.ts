import type { ClientSession } from 'mongoose';
import { foldEmail } from '../../../platform/basics/email.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import type { Context } from '../../../platform/context/context.ts';
import { deleteRows, insertRow, updateRow, type Write } from '../../../platform/mongo/writes.ts';
import { type Member, memberRows, type Organization, organizationRows } from './model.ts';

/** E-mails in the form that members have, each once, so that a member who leaves is found on a list of them. */
export function uniqueEmails(emails: readonly string[]): string[] {
  return [...new Set(emails.map(foldEmail))];
}

/** The one error for a member who does not exist and for one of another organization. */
export function noMember(): DomainError {
  return new DomainError('not_found', 'There is no such member.');
}

/**
 * Throws `conflict` when another present member of the organization has this e-mail: invited twice, nobody can tell which
 * invitation is meant. Concurrent adds conflict only if both write the roster (`rosterWrite`).
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

/**
 * The writes that put another row of a member in its place. It is deleted and inserted, as the embedded store's unique index
 * would keep an old identity (docs/stores.md).
 */
export function memberReplacement(member: Member): Write[] {
  return [deleteRows(memberRows, { _id: member._id }), insertRow(memberRows, member)];
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

/** The most teams of an organization: every request reads its row, and the teams in it. */
const TEAMS_PER_ORGANIZATION = 1_000;

export interface RosterChange {
  /** E-mails to put on the list of addresses for alerts. */
  with?: readonly string[];
  /** E-mail to take off that list. */
  without?: string | null;
  teams?: readonly string[];
}

/**
 * The write of a change of the organization's members, also when nothing else of its row changes: two admins who demote each
 * other at one time conflict, and the second decides again. The transaction has read the organization. Throws `conflict` when
 * it would have too many teams.
 */
export function rosterWrite(organization: Organization, change: RosterChange = {}): Write {
  const { _id, admin_emails, vouched_emails } = organization;
  const without = (emails: readonly string[]) => emails.filter((email) => email !== change.without);
  const listed = new Set([...without(admin_emails), ...(change.with ?? [])]);
  const teams = new Set([...organization.teams, ...(change.teams ?? [])]);
  if (teams.size > Math.max(TEAMS_PER_ORGANIZATION, organization.teams.length))
    throw new DomainError('conflict', `An organization has at most ${TEAMS_PER_ORGANIZATION} teams.`);
  const lists = {
    admin_emails: [...listed],
    ...(vouched_emails ? { vouched_emails: without(vouched_emails) } : {}),
    teams: [...teams],
  };
  return updateRow(organizationRows, { _id }, { $inc: { roster_changes: 1 }, $set: lists });
}

/**
 * The write of a present member's row, for a transaction that has read it and makes something for the member: it conflicts
 * with a removal at the same time, and with another that makes something.
 */
export function memberTouch({ _id }: Pick<Member, '_id'>): Write {
  return updateRow(memberRows, { _id }, { $inc: { touches: 1 } });
}
