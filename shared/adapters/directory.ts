import { listMembers } from '../administration/members.ts';
import type { Context } from '../platform/context/context.ts';
import { perContext } from '../platform/context/per-context.ts';
import type { Sender } from '../signals/check-signal.ts';
import { type Directory, mailKey, normalEmail } from './name-user.ts';

const LIST_LASTS_MS = 60_000;
/** Organizations whose list is kept at most. */
const MOST_LISTS = 1_000;

interface KeptList {
  /** By `elapsed`. */
  readAtMs: number;
  userIdByEmail: Promise<ReadonlyMap<string, string>>;
}

const lists = perContext(() => new Map<string, KeptList>());
const keyOf = perContext((ctx) => mailKey(ctx.config.apiKeyPepper));

/** Whom the e-mails of an organization's signals name. One list per organization is kept for 60 s. */
export async function openDirectory(ctx: Context, sender: Sender): Promise<Directory> {
  const { orgId, boundUserId } = sender;
  const userIdByEmail = boundUserId === null ? await memberList(ctx, orgId) : new Map<string, string>();
  return { orgId, boundUserId, userIdByEmail, mailKey: keyOf(ctx) };
}

function memberList(ctx: Context, orgId: string): Promise<ReadonlyMap<string, string>> {
  const kept = lists(ctx);
  const nowMs = ctx.clock.elapsed();
  const known = kept.get(orgId);
  if (known && nowMs - known.readAtMs < LIST_LASTS_MS) return known.userIdByEmail;
  if (kept.size >= MOST_LISTS) kept.clear();
  const userIdByEmail = readMembers(ctx, orgId);
  kept.set(orgId, { readAtMs: nowMs, userIdByEmail });
  userIdByEmail.catch(() => kept.delete(orgId));
  return userIdByEmail;
}

async function readMembers(ctx: Context, orgId: string): Promise<ReadonlyMap<string, string>> {
  const members = await listMembers(ctx, orgId);
  // Where user ids are e-mails, a member may have another e-mail by now. Who has one goes before whose id it is.
  const ids = members.map(({ user_id }) => [normalEmail(user_id), user_id] as const);
  const emails = members.flatMap(({ email, user_id }) =>
    email ? [[normalEmail(email), user_id] as const] : [],
  );
  return new Map([...ids, ...emails]);
}
