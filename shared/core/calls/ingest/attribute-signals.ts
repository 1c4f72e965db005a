import type { ClientSession } from 'mongoose';
import type { Context } from '../../../platform/context/context.ts';
import { boundedCache } from '../../../platform/context/per-context.ts';
import type { Write } from '../../../platform/mongo/writes.ts';
import { decideWorks, writePair, writeWork } from '../../../wings/work/attribution/decide-works.ts';
import { pairOf, type WorkRow } from '../../../wings/work/attribution/model.ts';
import { clientSessionKey, placeOf, plainName } from '../../../wings/work/attribution/names.ts';
import {
  type Asked,
  knowsPair,
  rememberPairs,
  storedFacts,
} from '../../../wings/work/attribution/read-facts.ts';
import type { Rules } from '../../limits/budgets/rules/rules.ts';
import type { Draft, SaidParts } from '../signals/check-signal.ts';
import type { SignalInput } from '../signals/input.ts';

/**
 * The client session of a posted signal, and the parts that it says. With `isTelemetry` they are of the resource that sent it:
 * they may be old, so a context goes before them.
 */
export function sayings(
  ctx: Context,
  orgId: string,
  isTelemetry: boolean,
): (signal: SignalInput) => Pick<Draft, 'client_session' | 'parts'> {
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

/** The works of a batch by the keys of its signals, and the rows that come with them. */
export interface AttributedSignals {
  workOf: ReadonlyMap<string, string>;
  writes: readonly Write[];
  /** Works and pairs of session and work that have rows once the batch is committed. */
  seen: { works: readonly string[]; pairs: readonly string[] };
  /** True when it relies on the contexts and boundaries of the organization, also on there being none. */
  isRelying: boolean;
}

const NOTHING: AttributedSignals = {
  workOf: new Map(),
  writes: [],
  seen: { works: [], pairs: [] },
  isRelying: false,
};

/** Works whose rows are committed, with whether names are hidden: rows are never deleted, and a name may become plain. */
const knownWorks = boundedCache<string, true>({ max: 100_000 });

/** Decides the works of signals that are recorded, and plans the rows of works and sessions that are seen for the first time. */
export async function attributeSignals(
  ctx: Context,
  { organization, contexts }: Rules,
  { signals, sessionOf }: { signals: readonly Draft[]; sessionOf: ReadonlyMap<string, string> },
  transaction: ClientSession,
): Promise<AttributedSignals> {
  const erased = new Set(organization.erased_users);
  const calls = signals.flatMap(({ _id, ts, user_id, client_session, parts = { own: [] } }) => {
    const session = erased.has(user_id) ? undefined : client_session;
    const isAny = session !== undefined || parts.place || parts.task;
    return isAny ? [{ _id, ts, user_id, client_session: session, ...parts }] : [];
  });
  if (calls.length === 0) return NOTHING;
  const asked: Asked = { orgId: organization._id, contexts };
  const works = await decideWorks(ctx, storedFacts(ctx, asked, transaction), calls);
  if (works.size === 0) return { ...NOTHING, isRelying: true };
  const hashNames = organization.hash_names === true;
  const fresh = new Map<string, WorkRow>();
  const pairs = new Map<string, Write>();
  for (const [signal, work] of works) {
    if (!knownWorks(ctx).get(`${work._id} ${hashNames}`)) fresh.set(work._id, work);
    const pair = pairOf(sessionOf.get(signal) ?? '', work._id);
    if (!pairs.has(pair) && !knowsPair(ctx, asked, pair))
      pairs.set(pair, writePair(organization._id, sessionOf.get(signal) ?? '', work._id));
  }
  return {
    workOf: new Map([...works].map(([signal, { _id }]) => [signal, _id])),
    writes: [...[...fresh.values()].map((work) => writeWork(work, hashNames)), ...pairs.values()],
    seen: { works: [...fresh.keys()].map((id) => `${id} ${hashNames}`), pairs: [...pairs.keys()] },
    isRelying: true,
  };
}

/** Remembers the rows of a committed batch, so that the next one writes them no more. */
export function rememberSeen(ctx: Context, asked: Asked, { works, pairs }: AttributedSignals['seen']): void {
  for (const work of works) knownWorks(ctx).set(work, true);
  if (pairs.length > 0) rememberPairs(ctx, asked, pairs);
}
