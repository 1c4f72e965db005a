import { z } from 'zod';
import { apiKeyRows, isLive } from '../../core/accounts/keys/model.ts';
import { type Member, memberRows } from '../../core/accounts/organizations/model.ts';
import { readOrganization } from '../../core/accounts/organizations/read-organization.ts';
import type { Reader } from '../../core/accounts/organizations/reader.ts';
import { type Session, sessionRows } from '../../core/calls/sessions/model.ts';
import { type Signal, signalKey, signalRows } from '../../core/calls/signals/model.ts';
import { best, FOUND_KINDS, type Found, MOST_OF_A_KIND, rankOf } from '../../core/hooks/found.ts';
import { wingsOf } from '../../core/hooks/wing.ts';
import type { Budget } from '../../core/limits/budgets/rules/model.ts';
import { findBudgetsOf } from '../../core/limits/budgets/show/read-budgets.ts';
import type { Context } from '../../platform/context/context.ts';
import { readUsedNames, type UsedNames } from './names.ts';

/** One thing that a search finds. */
export const foundView = z.strictObject({
  kind: z.enum(FOUND_KINDS),
  id: z.string(),
  name: z.string().describe('The name by which people know it; the id where it has none'),
  about: z
    .string()
    .optional()
    .meta({
      description: 'More of it: the reference of a pull request, the repository of a branch',
      examples: ['github.com/acme/shop'],
    }),
  path: z.string().describe('Its page of the dashboard'),
});

/** A reader, whether it may know the names and e-mails of members, and whether it is a person, who may see keys. */
export interface Searcher extends Reader {
  knowsMembers: boolean;
  isPerson: boolean;
}

/** Adapters for which a signal of an id is looked for. */
const MOST_ADAPTERS = 100;
/** The shortest beginning of a session's id that is looked for. */
const SESSION_PREFIX = /^ses_[0-9A-Za-z]{4,}$/;

/**
 * Finds what a literal text names, as the reader may see it, at most five of each kind: users by id, or by name and e-mail,
 * projects by the beginning of their id, sessions by id or its beginning, signals by their whole id, budgets by a part of
 * their name, for a person keys by a part of their name or their id, and the things of wings. It reads ranges of indexes and single
 * rows, never a whole collection.
 */
export async function search(ctx: Context, searcher: Searcher, text: string): Promise<Found[]> {
  const organization = await readOrganization(ctx, searcher.orgId);
  const [names, members, sessions, budgets, keys, others] = await Promise.all([
    readUsedNames(ctx, organization, searcher),
    searcher.knowsMembers ? readMembers(ctx, searcher.orgId) : [],
    findSessions(ctx, searcher, text),
    findBudgets(ctx, searcher, text),
    searcher.isPerson ? findKeys(ctx, searcher, text) : [],
    Promise.all(wingsOf(ctx).flatMap((wing) => wing.search?.(ctx, searcher, text) ?? [])),
  ]);
  const signals = await findSignals(ctx, searcher, names, text);
  return [
    ...usersNamed(text, names, members),
    ...projectsNamed(text, names),
    ...sessions.map(viewSession),
    ...signals.map(viewSignal),
    ...others.flat(),
    ...budgets.map(viewBudget),
    ...keys,
  ];
}

type NamedMember = Pick<Member, 'user_id' | 'name' | 'email' | 'removed_at'>;

async function readMembers(ctx: Context, orgId: string): Promise<NamedMember[]> {
  const projection = { user_id: 1, name: 1, email: 1, removed_at: 1 } as const;
  return memberRows(ctx).find<NamedMember>({ org_id: orgId }, { projection, batchSize: 10_000 }).toArray();
}

function usersNamed(text: string, { users }: UsedNames, members: readonly NamedMember[]): Found[] {
  const present = members.filter(({ removed_at }) => removed_at === null);
  const known = new Set(present.map(({ user_id }) => user_id));
  const others = users.filter((id) => !known.has(id)).map((id) => ({ user_id: id, name: null, email: null }));
  const ranked = [...present, ...others].map((user) => {
    const { user_id, name, email } = user;
    const ranks = [
      rankOf(text, user_id, 'beginning'),
      rankOf(text, name, 'part'),
      rankOf(text, email, 'part'),
    ];
    return { rank: Math.min(...ranks), item: user, name: name ?? email ?? user_id };
  });
  return best(ranked).map(({ item: { user_id }, name }) => ({
    kind: 'user',
    id: user_id,
    name,
    path: `/dashboard/?user_id=${encodeURIComponent(user_id)}`,
  }));
}

function projectsNamed(text: string, { projects }: UsedNames): Found[] {
  const ranked = projects.map((id) => ({ rank: rankOf(text, id, 'beginning'), item: id, name: id }));
  return best(ranked).map(({ item: id }) => ({
    kind: 'project',
    id,
    name: id,
    path: `/dashboard/?project_id=${encodeURIComponent(id)}`,
  }));
}

/** Ids are random, so a beginning of eight characters names few of them. */
async function findSessions(ctx: Context, { orgId, userId }: Reader, text: string): Promise<Session[]> {
  if (!SESSION_PREFIX.test(text)) return [];
  const range = { org_id: orgId, _id: { $gte: text, $lt: `${text}~` } };
  const own = userId === null ? [] : [{ $match: { user_id: userId } }];
  return sessionRows(ctx)
    .aggregate<Session>([
      { $match: range },
      { $match: { signal_count: { $gt: 0 } } },
      ...own,
      { $sort: { _id: 1 } },
      { $limit: MOST_OF_A_KIND },
    ])
    .toArray();
}

/** The identity of a signal is its client's id together with its adapter. */
async function findSignals(
  ctx: Context,
  { orgId, userId }: Reader,
  { adapters }: UsedNames,
  text: string,
): Promise<Signal[]> {
  const keys = adapters.slice(0, MOST_ADAPTERS).map((adapter) => signalKey(orgId, adapter, text));
  const found = await signalRows(ctx)
    .find({ _id: { $in: keys }, org_id: orgId })
    .toArray();
  const isShown = ({ user_id, voided }: Signal) => !voided && (userId === null || user_id === userId);
  return found.filter(isShown).slice(0, MOST_OF_A_KIND);
}

type NamedBudget = Pick<Budget, '_id' | 'name'>;

async function findBudgets(ctx: Context, reader: Reader, text: string): Promise<NamedBudget[]> {
  const budgets = await findBudgetsOf(ctx, reader);
  const ranked = budgets.map((item) => ({ rank: rankOf(text, item.name, 'part'), item, name: item.name }));
  return best(ranked).map(({ item }) => item);
}

/** Live keys: an admin's are all of the organization, a member's those that are bound to that member. */
async function findKeys(ctx: Context, { orgId, userId }: Reader, text: string): Promise<Found[]> {
  const own = userId === null ? {} : { user_id: userId };
  const nowMs = ctx.clock.now();
  const rows = await apiKeyRows(ctx)
    .find({ org_id: orgId, ...own })
    .toArray();
  const ranked = rows
    .filter((row) => isLive(row, nowMs))
    .map((item) => ({
      rank: Math.min(rankOf(text, item.name, 'part'), rankOf(text, item._id, 'beginning')),
      item,
      name: item.name,
    }));
  const path = userId === null ? '/dashboard/settings?tab=keys' : '/dashboard/connect';
  return best(ranked).map(({ item: { _id: id, name } }) => ({ kind: 'key', id, name, path }));
}

function viewSession({ _id: id, user_id, project_id }: Session): Found {
  return { kind: 'session', id, name: `${user_id}, ${project_id}`, path: sessionPath(id) };
}

function viewSignal({ id, tool_name, model, type, session_id }: Signal): Found {
  const path = `${sessionPath(session_id)}?call=${encodeURIComponent(id)}`;
  return { kind: 'signal', id, name: tool_name ?? model ?? type, path };
}

function sessionPath(id: string): string {
  return `/dashboard/sessions/${encodeURIComponent(id)}`;
}

function viewBudget({ _id: id, name }: NamedBudget): Found {
  return { kind: 'budget', id, name, path: `/dashboard/budgets/${encodeURIComponent(id)}` };
}
