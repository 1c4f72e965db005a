import type { ClientSession } from 'mongoose';
import { cachedRules, type Rules, readRules } from '../budgets/rules.ts';
import { newId } from '../platform/basics/ids.ts';
import type { Decision } from '../platform/context/commit-plan.ts';
import type { Context } from '../platform/context/context.ts';
import { type Assignment, assignSignals, sessionKey } from '../sessions/assign.ts';
import { findNewest, findReachable } from '../sessions/find-reachable.ts';
import type { Session } from '../sessions/model.ts';
import { timeoutMsOf } from '../sessions/silence.ts';
import type { Draft } from '../signals/check-signal.ts';
import { type Signal, signalRows } from '../signals/model.ts';
import type { Field } from './count-values.ts';
import { type Identity, planBatch } from './plan-batch.ts';

/** Signals of one organization that are recorded together. */
export interface Batch {
  drafts: readonly Draft[];
  /** Those of them that were posted as history. */
  historical: ReadonlySet<Draft>;
  /** Those with a new value of a field of which the organization has as many today as it may have. */
  overLimit: ReadonlyMap<Draft, Field>;
}

/**
 * One attempt at a batch. The first one assumes the usual case: the rules are as this process has cached them, no signal was
 * recorded before, and nothing is stored for a session key without a session, so that its rows are inserted, which costs half
 * as much as an upsert. A wrong assumption fails with a duplicate key, and the next attempt reads (docs/adr/0146).
 */
export interface Attempt {
  /** The counter shard that it writes in. */
  shard: number;
  isFirst: boolean;
}

/**
 * The outcome of a draft: its session, and the user of the signal that has its key (its own, or the one that came before).
 * `rejected`: the session has as many models as it may have. `over_limit`: the organization has as many values of the field.
 */
export type Outcome =
  | { status: 'accepted' | 'duplicate'; session_id: string; user_id: string }
  | { status: 'rejected' }
  | { status: 'over_limit'; field: Field };

/**
 * Decides a batch: reads the rules, the signals that were recorded before and the sessions that signals may join, assigns the
 * signals to sessions, and plans all writes. In the usual case that is one read.
 */
export async function decideBatch(
  ctx: Context,
  orgId: string,
  { drafts, historical, overLimit }: Batch,
  { shard, isFirst }: Attempt,
  transaction: ClientSession,
): Promise<Decision<{ outcomes: Outcome[]; rules: Rules }>> {
  // History is often sent twice, and planning it for nothing takes longer than to read first.
  const isUsual = isFirst && historical.size === 0;
  const cached = isUsual ? cachedRules(ctx, orgId) : undefined;
  const rules = cached ?? (await readRules(ctx, orgId, shard, transaction));
  const recorded =
    isUsual && overLimit.size === 0 ? NONE : await findRecorded(ctx, orgId, drafts, transaction);
  const unrecorded = drafts.filter(({ _id }) => !recorded.has(_id));
  const keys = new Map(unrecorded.map((draft) => [draft, keyOf(draft)]));
  const newest = await findNewest(ctx, orgId, new Set(keys.values()), transaction);
  const refused = allowKnownValues(overLimit, keys, newest);
  const fresh = firstOfEach(unrecorded.filter((draft) => !refused.has(draft)));
  const byKey = Map.groupBy(fresh, (draft) => keys.get(draft) as string);
  const timeoutMs = timeoutMsOf(rules.organization);
  const assignments = await assignByKey(ctx, byKey, { newest, timeoutMs }, transaction);
  const sessionOf = new Map(assignments.flatMap((assignment) => [...assignment.placed]));
  const signals = fresh.filter(({ _id }) => sessionOf.has(_id));
  const isNew = (of: Identity) => isFirst && !newest.has(keyOf(of));
  const plan = await planBatch(ctx, rules, { signals, historical, assignments, sessionOf, shard, isNew });
  return { ...plan, result: { outcomes: outcomesOf(drafts, { recorded, refused, sessionOf }), rules } };
}

type Recorded = ReadonlyMap<string, Pick<Signal, 'session_id' | 'user_id'>>;

const NONE: Recorded = new Map();

/** The signals that were recorded before, by their keys. */
async function findRecorded(
  ctx: Context,
  orgId: string,
  drafts: readonly Draft[],
  transaction: ClientSession,
): Promise<Recorded> {
  const ids = drafts.map(({ _id }) => _id);
  const options = { projection: { session_id: 1, user_id: 1 }, session: transaction };
  const rows = await signalRows(ctx)
    .find({ _id: { $in: ids }, org_id: orgId }, options)
    .toArray();
  return new Map(rows.map((row) => [row._id, row]));
}

/**
 * The drafts that remain refused. A value that another process has counted is not new, nor is one that this process counted
 * before it was restarted: signals of a user who has a session in the project with the tool are taken.
 */
function allowKnownValues(
  overLimit: Batch['overLimit'],
  keys: ReadonlyMap<Draft, string>,
  newest: ReadonlyMap<string, Session>,
): ReadonlyMap<Draft, Field> {
  const isKnown = (draft: Draft, field: Field) => field !== 'model' && newest.has(keys.get(draft) ?? '');
  return new Map([...overLimit].filter(([draft, field]) => keys.has(draft) && !isKnown(draft, field)));
}

function firstOfEach(drafts: readonly Draft[]): Draft[] {
  const first = new Map<string, Draft>();
  for (const draft of drafts) if (!first.has(draft._id)) first.set(draft._id, draft);
  return [...first.values()];
}

function keyOf({ org_id, user_id, project_id, adapter }: Identity): string {
  return sessionKey(org_id, user_id, project_id, adapter);
}

async function assignByKey(
  ctx: Context,
  byKey: ReadonlyMap<string, readonly Draft[]>,
  { newest, timeoutMs }: { newest: ReadonlyMap<string, Session>; timeoutMs: number },
  transaction: ClientSession,
): Promise<Assignment[]> {
  const assignments: Assignment[] = [];
  const mostModels = ctx.config.modelsPerSession;
  const newSessionId = () => newId('ses');
  for (const [key, signals] of byKey) {
    const times = signals.map((signal) => signal.ts.getTime());
    const span = { earliestMs: Math.min(...times), latestMs: Math.max(...times) };
    const existing = await findReachable(ctx, newest.get(key), span, timeoutMs, transaction);
    const nowMs = ctx.clock.now();
    assignments.push(assignSignals({ key, existing, signals, timeoutMs, nowMs, mostModels, newSessionId }));
  }
  return assignments;
}

interface Decided {
  recorded: Recorded;
  refused: ReadonlyMap<Draft, Field>;
  sessionOf: ReadonlyMap<string, string>;
}

function outcomesOf(drafts: readonly Draft[], { recorded, refused, sessionOf }: Decided): Outcome[] {
  const known = new Map(recorded);
  return drafts.map((draft) => {
    const field = refused.get(draft);
    if (field) return { status: 'over_limit', field };
    const { _id, user_id } = draft;
    const before = known.get(_id);
    if (before) return { status: 'duplicate', session_id: before.session_id, user_id: before.user_id };
    const session_id = sessionOf.get(_id);
    if (session_id === undefined) return { status: 'rejected' };
    known.set(_id, { session_id, user_id });
    return { status: 'accepted', session_id, user_id };
  });
}
