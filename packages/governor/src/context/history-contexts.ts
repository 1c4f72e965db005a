import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { normalRepository } from '../../../../shared/core/calls/signals/repository.ts';
import { type Api, ask, type Pause } from '../api/ask.ts';
import type { FoundCall } from '../readers/history.ts';
import { readCheckout } from './git.ts';
import type { PostedContext } from './state.ts';

/** Contexts that the history of a machine tells, and calls whose folder is in no repository of it. */
export interface HistoryContexts {
  contexts: PostedContext[];
  withoutRepository: number;
}

/** The place that a client session was told last, and since when: epoch ms. */
export interface ToldPlace {
  place: string;
  sinceMs: number;
}

/**
 * The contexts that calls of history tell, as changes only: one per client session and change of its place. `told` has the place
 * that each session was told last, and is brought up to date: it keeps the newest. A branch without a repository on this machine
 * is dropped.
 */
export async function contextsOfHistory(
  calls: readonly FoundCall[],
  { userId, told }: { userId: string | undefined; told: Map<string, ToldPlace> },
): Promise<HistoryContexts> {
  const contexts: PostedContext[] = [];
  let withoutRepository = 0;
  /** By client session the place of its last late call of this round: `told` keeps the newest place. */
  const toldLate = new Map<string, ToldPlace>();
  const ordered = calls.toSorted((a, b) => Date.parse(a.signal.ts) - Date.parse(b.signal.ts));
  for (const { signal, cwd, branch, repositoryUrl } of ordered) {
    const metadata = signal.metadata as Readonly<Record<string, string>> | undefined;
    const session = metadata?.client_session_id;
    if (session === undefined || branch === undefined) continue;
    const repository = (repositoryUrl && normalRepository(repositoryUrl)) || (await repositoryOf(cwd));
    if (!repository) {
      withoutRepository += 1;
      continue;
    }
    const place = { repository, ...(branch === null ? {} : { branch }) };
    const now: ToldPlace = { place: JSON.stringify(place), sinceMs: Date.parse(signal.ts) };
    const newest = told.get(session);
    // A call that turns up late may lie before the place that was told last.
    const known = newest && now.sinceMs < newest.sinceMs ? toldLate : told;
    if (known.get(session)?.place === now.place) continue;
    known.set(session, now);
    const user = userId === undefined ? {} : { user_id: userId };
    contexts.push({ client_session_id: session, ts: signal.ts, ...user, ...place });
  }
  return { contexts, withoutRepository };
}

const repositories = new Map<string, string | null>();

async function repositoryOf(cwd: string | undefined): Promise<string | null> {
  if (cwd === undefined || !isAbsolute(cwd) || !existsSync(cwd)) return null;
  const known = repositories.get(cwd);
  if (known !== undefined) return known;
  const repository = (await readCheckout(cwd, process.env))?.place.repository ?? null;
  repositories.set(cwd, repository);
  return repository;
}

const answerSchema = z.object({ results: z.array(z.object({ status: z.string() })) });
const SENT_AT_ONCE = 500;

/** Posts contexts, some at a time, and returns how many the api has taken. Throws as `ask`. */
export async function sendContexts(
  target: Api,
  contexts: readonly PostedContext[],
  pause: Pause,
): Promise<number> {
  let taken = 0;
  for (let from = 0; from < contexts.length; from += SENT_AT_ONCE) {
    const body = JSON.stringify({ contexts: contexts.slice(from, from + SENT_AT_ONCE) });
    const { results } = await ask(target, '/api/v1/contexts', body, pause, answerSchema);
    taken += results.filter(({ status }) => status !== 'rejected').length;
  }
  return taken;
}
