import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Api, ask } from '../api/ask.ts';
import { type Checkout, readCheckout } from './git.ts';
import { changeState, type PostedContext, SEEN_MS, type State } from './state.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Something that a client session works on now. */
export interface Telling {
  env: Environment;
  cwd: string;
  nowMs: number;
  /** Folder of the state. */
  folder: string;
  /** The client sessions; null: every one that was seen in this checkout within 24 hours. */
  sessions: readonly string[] | null;
  /** Undefined: nothing about tasks; null: none from now on. */
  task: string | null | undefined;
  /** True: a place that was told within 10 minutes is told again. */
  isRepeating: boolean;
}

const AGAIN_MS = 10 * 60_000;

/** Puts what is to be told with what waits, and returns how many contexts were added. */
export async function tell(telling: Telling): Promise<number> {
  const checkout = await readCheckout(telling.cwd, telling.env);
  return changeState(telling.folder, telling.nowMs, (state) => {
    const sessions = telling.sessions ?? seenIn(state, checkout, telling.nowMs);
    const contexts = sessions.flatMap((session) => contextsOf(state, session, checkout, telling));
    state.waiting.push(...contexts);
    return contexts.length;
  });
}

function seenIn({ seen }: State, checkout: Checkout | null, nowMs: number): string[] {
  const sessions = Object.entries(seen[checkout?.folder ?? ''] ?? {});
  return sessions.filter(([, atMs]) => atMs > nowMs - SEEN_MS).map(([session]) => session);
}

function contextsOf(
  state: State,
  session: string,
  checkout: Checkout | null,
  { nowMs, task, sessions, isRepeating }: Telling,
): PostedContext[] {
  if (checkout && sessions !== null)
    state.seen[checkout.folder] = { ...state.seen[checkout.folder], [session]: nowMs };
  const place = checkout?.place ?? { repository: null };
  const told = state.told[session];
  // A commit is shown, and no reason to tell a place again.
  const key = JSON.stringify([place.repository, place.branch ?? null, place.worktree ?? null]);
  const isTold = told?.place === key && told.atMs > nowMs - AGAIN_MS && !isRepeating;
  if (isTold && task === undefined) return [];
  state.told[session] = { place: key, atMs: nowMs };
  const context = {
    client_session_id: session,
    ts: new Date(nowMs).toISOString(),
    ...place,
    ...(task === undefined ? {} : { task }),
  };
  return [...renameOf(state, checkout, nowMs), context];
}

const OLDEST_MS = 35 * 86_400_000;

/**
 * The context of a rename that nobody was told of. It has a client session of its own: where the session of the hook was at that time
 * is not known.
 */
function renameOf(state: State, checkout: Checkout | null, nowMs: number): PostedContext[] {
  const { place, renamed } = checkout ?? {};
  if (!renamed || !place || place.branch === undefined || renamed.atMs < nowMs - OLDEST_MS) return [];
  const name = JSON.stringify([place.repository, renamed.from, place.branch, renamed.atMs]);
  if (state.renames.includes(name)) return [];
  state.renames.push(name);
  const { repository, branch } = place;
  const ts = new Date(momentOf(renamed, nowMs)).toISOString();
  const client_session_id = `rename-${randomUUID()}`;
  return [{ client_session_id, ts, repository, branch, renamed_from: renamed.from }];
}

const JUST_NOW_MS = 60_000;

/**
 * The moment until which calls were told the old name: now for a rename of just now, because until this hook nobody has told
 * the new one, else the end of the second that git wrote.
 */
function momentOf({ atMs }: { atMs: number }, nowMs: number): number {
  return atMs > nowMs - JUST_NOW_MS ? nowMs : atMs + 999;
}

const answerSchema = z.object({
  results: z.array(z.object({ status: z.string(), code: z.string().optional() })),
});

/** Contexts of one request. */
const SENT_AT_ONCE = 500;
const MOST_ANSWER_BYTES = 1_048_576;

/** Sends what waits, the oldest first. Throws when the api does not take it in time: then it stays for the next time. */
export async function sendWaiting(
  target: Api,
  folder: string,
  { nowMs, patienceMs }: { nowMs: number; patienceMs: number },
): Promise<Record<string, number>> {
  const waiting = await changeState(folder, nowMs, (state) => state.waiting.slice(0, SENT_AT_ONCE));
  if (waiting.length === 0) return {};
  const body = JSON.stringify({ contexts: waiting });
  const limits = { deadlineMs: patienceMs, mostBytes: MOST_ANSWER_BYTES };
  const how = { attempts: 1, limits };
  const { results } = await ask(target, '/api/v1/contexts', body, sleep, answerSchema, how);
  const sent = new Set(waiting.map((context) => JSON.stringify(context)));
  await changeState(folder, nowMs, (state) => {
    state.waiting = state.waiting.filter((context) => !sent.has(JSON.stringify(context)));
  });
  const counts: Record<string, number> = {};
  for (const { status } of results) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
