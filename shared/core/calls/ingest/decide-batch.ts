import type { ClientSession } from 'mongoose';
import { type Decision, joinPlans, type Plan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import type { Write } from '../../../platform/mongo/writes.ts';
import type { HeldSignal } from '../../../wings/held/model.ts';
import type { Organization } from '../../accounts/organizations/model.ts';
import { touchOrganizationVersion } from '../../accounts/organizations/versions.ts';
import type { Attempt } from '../../limits/budgets/rules/rules.ts';
import { sessionKey, timeoutMsOf } from '../sessions/assign.ts';
import { assignByKey, findNewest } from '../sessions/assign-by-key.ts';
import type { Session } from '../sessions/model.ts';
import type { Draft } from '../signals/check-signal.ts';
import { type Signal, signalRows } from '../signals/model.ts';
import { type AttributedSignals, attributeSignals } from './attribute-signals.ts';
import type { Field } from './count-values.ts';
import { type Identity, planBatch } from './plan-batch.ts';
import {
  type Above,
  decideHolding,
  findAbove,
  findHeld,
  type HeldByKey,
  type Holding,
  planHeldUntil,
} from './plan-held.ts';

/** Signals of one organization that are recorded together. */
export interface Batch {
  drafts: readonly Draft[];
  /** Those of them that were posted as history. */
  historical: ReadonlySet<Draft>;
  /** Those with a new value of a field of which the organization has as many as it may have; counted while sessions are read. */
  overLimit: ReadonlyMap<Draft, Field> | Promise<ReadonlyMap<Draft, Field>>;
  /** True for signals that an admin has released: they are recorded whatever their size. */
  isReleased?: boolean;
}

/**
 * The outcome of a draft: its session, and the user of the signal that has its key (its own, or the one that came before).
 * `held`, `discarded`: an admin decides, or has decided. `too_many_held`: as many wait for a decision as may. `rejected`: the
 * session has as many models as it may have. `over_limit`: the organization has as many values of the field.
 */
export type Outcome =
  | { status: 'accepted' | 'duplicate'; session_id: string; user_id: string }
  | { status: 'held'; held: HeldSignal; user_id: string }
  | { status: 'discarded' | 'too_many_held'; user_id: string }
  | { status: 'rejected' }
  | { status: 'over_limit'; field: Field };

/** An outcome per draft, the count of contexts that held, and how many signals are held by this batch. */
interface DecidedBatch {
  outcomes: Outcome[];
  contexts: number;
  held: number;
  seen: AttributedSignals['seen'];
}

/**
 * Decides a batch: reads the signals that were recorded or held before and the sessions that signals may join, assigns the
 * signals to sessions, and plans all writes. An attempt by assumed rules assumes the rest of the usual case too: no signal was
 * recorded before, and none is above a limit. The first attempt also assumes that nothing is stored for a session key without
 * a session, so that its rows are inserted, which costs half as much as an upsert. A wrong assumption fails with a duplicate
 * key, and the next attempt reads (docs/adr/0146).
 */
export async function decideBatch(
  ctx: Context,
  attempt: Attempt,
  { drafts, historical, overLimit, isReleased = false }: Batch,
  transaction: ClientSession,
): Promise<Decision<DecidedBatch>> {
  const { rules, isAssumed } = attempt;
  const orgId = rules.organization._id;
  const past = findPast(historical, rules.organization, ctx.clock.now());
  const above = isAssumed || isReleased ? NONE_ABOVE : findAbove(drafts, rules.organization, past);
  const recorded = isAssumed ? NONE : await findRecorded(ctx, orgId, drafts, transaction);
  const unrecorded = drafts.filter(({ _id }) => !recorded.has(_id));
  const known = isReleased ? NONE_HELD : await findHeld(ctx, rules.organization, unrecorded, transaction);
  const fresh = new Map([...above].filter(([{ _id }]) => !recorded.has(_id) && !known.has(_id)));
  const holding = await decideHolding(ctx, rules.organization, fresh, transaction);
  const counting = unrecorded.filter((draft) => !known.has(draft._id) && !fresh.has(draft));
  const { plan, refused, sessionOf, attributed } = await decideCounting(
    ctx,
    attempt,
    { drafts: counting, past, overLimit, isReleased },
    transaction,
  );
  const held = new Map([...known, ...holding.rows]);
  // A repeat is answered as one, also where its value would find no room now.
  const late = isAssumed ? [...refused.keys()] : [];
  const before = late.length > 0 ? await findRecorded(ctx, orgId, late, transaction) : recorded;
  const outcomes = outcomesOf(drafts, { before, held, tooMany: holding.tooMany, refused, sessionOf });
  const guard = guardOf(attempt, holding, plan.writes.length > 0, attributed.isRelying);
  const whole = joinPlans({ writes: guard, wakeUps: [] }, plan, holding.plan);
  return {
    ...whole,
    result: { outcomes, contexts: rules.contexts, held: holding.rows.size, seen: attributed.seen },
  };
}

/** Age beyond the session timeout from which a historical signal is past: it raises no events, and is not held. */
const PAST_MS = 3_600_000;

/** Those of the signals that were posted as history that are older than the session timeout and an hour. Pure. */
export function findPast(
  historical: ReadonlySet<Draft>,
  organization: Organization,
  nowMs: number,
): ReadonlySet<Draft> {
  const timeoutMs = timeoutMsOf(organization);
  return new Set([...historical].filter(({ ts }) => ts.getTime() < nowMs - timeoutMs - PAST_MS));
}

const NONE_ABOVE: Above = new Map();
const NONE_HELD: HeldByKey = new Map();

/** The writes by which a batch that writes anything conflicts with a change of the rules that it does not see. */
function guardOf(
  { rules, shard, waiting }: Attempt,
  holding: Holding,
  isWriting: boolean,
  isRelying: boolean,
): Write[] {
  const { organization, version, contexts } = rules;
  const raised = planHeldUntil(rules, holding.rows);
  if (raised.length > 0) return raised;
  const isAny = isWriting || holding.rows.size > 0;
  const relied = isRelying ? { version, contexts, waiting } : { version, waiting };
  return isAny ? [touchOrganizationVersion(organization._id, shard, relied)] : [];
}

/** Assigns signals that are neither recorded nor held to sessions, and plans what they change. */
async function decideCounting(
  ctx: Context,
  { rules, isFirst, shard }: Attempt,
  { drafts, past, isReleased, ...batch }: Omit<Batch, 'historical'> & { past: ReadonlySet<Draft> },
  transaction: ClientSession,
) {
  const orgId = rules.organization._id;
  const keys = new Map(drafts.map((draft) => [draft, keyOf(draft)]));
  const [newest, overLimit] = await Promise.all([
    findNewest(ctx, orgId, new Set(keys.values()), transaction),
    batch.overLimit,
  ]);
  const refused = allowKnownValues(overLimit, keys, newest);
  const fresh = firstOfEach(drafts.filter((draft) => !refused.has(draft)));
  const byKey = Map.groupBy(fresh, (draft) => keys.get(draft) as string);
  const timeoutMs = timeoutMsOf(rules.organization);
  const mostModels = isReleased ? Number.POSITIVE_INFINITY : ctx.config.modelsPerSession;
  const assignments = await assignByKey(ctx, byKey, { newest, timeoutMs, mostModels }, transaction);
  const sessionOf = new Map(assignments.flatMap((assignment) => [...assignment.placed]));
  const signals = fresh.filter(({ _id }) => sessionOf.has(_id));
  const isNew = (of: Identity) => isFirst && !newest.has(keyOf(of));
  const attributed = await attributeSignals(ctx, rules, { signals, sessionOf }, transaction);
  const { workOf } = attributed;
  const assigned = { signals, past, assignments, sessionOf, workOf, shard, isNew };
  const plan = await planBatch(ctx, rules, assigned);
  const seen: Plan = { writes: attributed.writes, wakeUps: [] };
  return { plan: joinPlans(plan, seen), refused, sessionOf, attributed };
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
  const options = { projection: { session_id: 1, user_id: 1 }, session: transaction };
  const rows = await signalRows(ctx)
    .find({ _id: { $in: drafts.map(({ _id }) => _id) }, org_id: orgId }, options)
    .toArray();
  return new Map(rows.map((row) => [row._id, row]));
}

/**
 * The drafts that remain refused. A value that another process has counted is not new, nor is one that this process counted
 * before it was restarted: signals of a user who has a session in the project with the tool are taken.
 */
function allowKnownValues(
  overLimit: ReadonlyMap<Draft, Field>,
  keys: ReadonlyMap<Draft, string>,
  newest: ReadonlyMap<string, Session>,
): ReadonlyMap<Draft, Field> {
  const isOfKey = (field: Field) => field === 'user_id' || field === 'project_id';
  const isKnown = (draft: Draft, field: Field) => isOfKey(field) && newest.has(keys.get(draft) ?? '');
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

interface Decided {
  before: Recorded;
  held: HeldByKey;
  /** Keys of signals that would be held. */
  tooMany: ReadonlySet<string>;
  refused: ReadonlyMap<Draft, Field>;
  sessionOf: ReadonlyMap<string, string>;
}

function outcomesOf(
  drafts: readonly Draft[],
  { before, held, tooMany, refused, sessionOf }: Decided,
): Outcome[] {
  const recorded = new Map(before);
  return drafts.map((draft) => {
    const { _id, user_id } = draft;
    const field = refused.get(draft);
    if (field && !before.has(_id)) return { status: 'over_limit', field };
    const first = recorded.get(_id);
    if (first) return { status: 'duplicate', session_id: first.session_id, user_id: first.user_id };
    const row = held.get(_id);
    if (row?.state === 'held') return { status: 'held', held: row, user_id: row.user_id };
    if (row) return { status: 'discarded', user_id: row.user_id };
    if (tooMany.has(_id)) return { status: 'too_many_held', user_id };
    const session_id = sessionOf.get(_id);
    if (session_id === undefined) return { status: 'rejected' };
    recorded.set(_id, { session_id, user_id });
    return { status: 'accepted', session_id, user_id };
  });
}
