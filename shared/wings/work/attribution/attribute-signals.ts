import type { ClientSession } from 'mongoose';
import type { Organization } from '../../../core/accounts/organizations/model.ts';
import type { SaidParts, Say } from '../../../core/calls/signals/check-signal.ts';
import type { AssignedDrafts, RecordedFields, RecordedPart } from '../../../core/hooks/wing.ts';
import type { Context } from '../../../platform/context/context.ts';
import { boundedCache } from '../../../platform/context/per-context.ts';
import type { Write } from '../../../platform/mongo/writes.ts';
import { decideWorks, writePair, writeWork } from './decide-works.ts';
import { pairOf, type WorkRow } from './model.ts';
import { clientSessionKey, placeOf, plainName } from './names.ts';
import { type Asked, knowsPair, rememberPairs, storedFacts } from './read-facts.ts';

/**
 * Reads the client session of a posted signal, and the repository, branch and task that it names. With `isTelemetry` they are
 * those of the resource that sent it: they may be old, so a context overrules them.
 */
export function sayings(ctx: Context, orgId: string, { isTelemetry }: { isTelemetry: boolean }): Say {
  return ({ metadata, repository, branch, task }) => {
    const id = metadata?.client_session_id;
    const place = repository === undefined ? undefined : placeOf(ctx, orgId, repository, branch);
    const named = task === undefined ? undefined : plainName(ctx, orgId, task);
    const own = [...(place ? ['place' as const] : []), ...(named ? ['task' as const] : [])];
    const parts: SaidParts = {
      own: isTelemetry ? [] : own,
      ...(place ? { place } : {}),
      ...(named ? { task: named } : {}),
    };
    return {
      ...(id ? { client_session: clientSessionKey(ctx, orgId, id) } : {}),
      ...(own.length > 0 ? { parts } : {}),
    };
  };
}

/** Works whose rows are committed, with whether names are hidden: rows are never deleted, and a name may become plain. */
const knownWorks = boundedCache<string, true>({ max: 100_000 });

/** Decides the works of signals that are recorded, and plans the rows of works and sessions that are seen for the first time. */
export async function attributeSignals(
  ctx: Context,
  { organization, contexts }: { organization: Organization; contexts: number },
  { signals, sessionOf }: AssignedDrafts,
  transaction: ClientSession,
): Promise<RecordedPart | null> {
  const erased = new Set(organization.erased_users);
  const calls = signals.flatMap(({ _id, ts, user_id, client_session, parts = NO_PARTS }) => {
    const session = erased.has(user_id) ? undefined : client_session;
    const isAny = session !== undefined || parts.place || parts.task;
    return isAny ? [{ _id, ts, user_id, client_session: session, ...parts }] : [];
  });
  if (calls.length === 0) return null;
  const asked: Asked = { orgId: organization._id, contexts };
  const works = await decideWorks(ctx, storedFacts(ctx, asked, transaction), calls);
  const hashNames = organization.hash_names === true;
  const fresh = new Map<string, WorkRow>();
  const pairs = new Map<string, Write>();
  const fields = new Map<string, RecordedFields>();
  for (const { _id, own } of calls) {
    const work = works.get(_id);
    if (!work) continue;
    fields.set(_id, { work: work._id, ...(own.length > 0 ? { own } : {}) });
    if (!knownWorks(ctx).get(`${work._id} ${hashNames}`)) fresh.set(work._id, work);
    const session = sessionOf.get(_id) ?? '';
    const pair = pairOf(session, work._id);
    if (!pairs.has(pair) && !knowsPair(ctx, asked, pair))
      pairs.set(pair, writePair(organization._id, session, work._id));
  }
  return {
    writes: [...[...fresh.values()].map((work) => writeWork(work, hashNames)), ...pairs.values()],
    wakeUps: [],
    fields,
    // Also where it found none: a later context or boundary would have changed that.
    isRelyingOnContexts: true,
    // The rows are there from then on, so that the next batch writes them no more.
    committed: () => {
      for (const id of fresh.keys()) knownWorks(ctx).set(`${id} ${hashNames}`, true);
      if (pairs.size > 0) rememberPairs(ctx, asked, [...pairs.keys()]);
    },
  };
}

const NO_PARTS: SaidParts = { own: [] };
