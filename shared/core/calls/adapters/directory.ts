import { createHmac } from 'node:crypto';
import { foldEmail } from '../../../platform/basics/email.ts';
import { base62 } from '../../../platform/basics/ids.ts';
import type { Context } from '../../../platform/context/context.ts';
import { boundedCache, perContext } from '../../../platform/context/per-context.ts';
import { listMembers } from '../../accounts/organizations/list-members.ts';
import type { Sender } from '../signals/check-signal.ts';
import type { PostedSignal } from './posted.ts';

/** The users that the e-mails of an organization's signals name. */
export interface Directory {
  orgId: string;
  boundUserId: string | null;
  /** By the normal form of the e-mail. */
  userIdByEmail: ReadonlyMap<string, string>;
  /** Hashes e-mails of strangers. */
  mailKey: Buffer;
}

const mailKey = perContext(({ config }) =>
  createHmac('sha256', config.apiKeyPepper).update('e-mails of users who are no members').digest(),
);
const lists = boundedCache<string, Promise<ReadonlyMap<string, string>>>({ max: 1_000, ttlMs: 60_000 });

/** Opens the directory for a sender. The list of an organization is kept for 60 s. */
export async function openDirectory(ctx: Context, { orgId, boundUserId }: Sender): Promise<Directory> {
  const userIdByEmail = boundUserId === null ? await memberList(ctx, orgId) : new Map<string, string>();
  return { orgId, boundUserId, userIdByEmail, mailKey: mailKey(ctx) };
}

function memberList(ctx: Context, orgId: string): Promise<ReadonlyMap<string, string>> {
  const kept = lists(ctx);
  const known = kept.get(orgId);
  if (known) return known;
  const list = readMembers(ctx, orgId);
  kept.set(orgId, list);
  list.catch(() => kept.delete(orgId));
  return list;
}

async function readMembers(ctx: Context, orgId: string): Promise<ReadonlyMap<string, string>> {
  const members = await listMembers(ctx, orgId);
  // Where user ids are e-mails, a member may have another e-mail by now: a match by e-mail wins over a match by user id.
  const ids = members.map(({ user_id }) => [normalEmail(user_id), user_id] as const);
  const emails = members.flatMap(({ email, user_id }) =>
    email ? [[normalEmail(email), user_id] as const] : [],
  );
  return new Map([...ids, ...emails]);
}

/**
 * The signal with its user's id: the bound key's user; else the member with that e-mail, or a hash of the e-mail; else the id
 * that the tool wrote. No e-mail is left in it.
 */
export function nameUser(signal: PostedSignal, directory: Directory): PostedSignal {
  if (directory.boundUserId !== null) return { ...signal, user_id: directory.boundUserId };
  if (!signal.user_id?.includes('@')) return signal;
  const email = normalEmail(signal.user_id);
  return { ...signal, user_id: directory.userIdByEmail.get(email) ?? strangerId(email, directory) };
}

function normalEmail(email: string): string {
  return foldEmail(email.trim());
}

/** `mail_` and 22 characters: 128 bits of HMAC-SHA256 over organization and e-mail. */
function strangerId(email: string, { orgId, mailKey: key }: Directory): string {
  const digest = createHmac('sha256', key)
    .update(JSON.stringify([orgId, email]))
    .digest();
  return `mail_${base62(digest.subarray(0, 16), 22)}`;
}
