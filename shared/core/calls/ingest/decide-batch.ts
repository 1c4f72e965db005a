import type { ClientSession } from 'mongoose';
import { type Decision, joinPlans } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import type { Write } from '../../../platform/mongo/writes.ts';
import { raiseReliedVersion, touchOrganizationVersion } from '../../accounts/organizations/versions.ts';
import type { KeptOutcome } from '../../hooks/wing.ts';
import type { Attempt } from '../../limits/budgets/rules/rules.ts';
import { sessionKey, timeoutMsOf } from '../sessions/assign.ts';
import { assignByKey, findNewest } from '../sessions/assign-by-key.ts';
import type { Session } from '../sessions/model.ts';
import type { Draft } from '../signals/check-signal.ts';
import { type Signal, signalRows } from '../signals/model.ts';
import { firstOfEach, type Judged, joinFields, judge, keepOut, recordAll } from './ask-wings.ts';
import { type Field, rememberValues } from './count-values.ts';
import { type Identity, planBatch } from './plan-batch.ts';
import { priceDrafts } from './price-drafts.ts';

/** Signals of one organization that are recorded together. */
export interface Batch {
  drafts: readonly Draft[];
  /** Those of them that were posted as history. */
  historical: ReadonlySet<Draft>;
  /** Those with a new value of a field of which the organization has as many as it may have; counted while sessions are read. */
  overLimit: ReadonlyMap<Draft, Field> | Promise<ReadonlyMap<Draft, Field>>;
  /** How they were judged before the transaction. They are judged anew where the settings have changed since. */
  judged?: Judged;
  /** True for signals that an admin has released: they are recorded whatever their size, and no wing keeps them out. */
  isReleased?: boolean;
}

/**
 * The outcome of a draft: its session, and the user of the signal that has its key (its own, or the one that came before).
 * `kept_out`: a wing keeps it out of the count. `rejected`: the session has as many models as it may have. `over_limit`: the
 * organization has as many values of the field.
 */
export type Outcome =
  | { status: 'accepted' | 'duplicate'; session_id: string; user_id: string }
  | ({ status: 'kept_out' } & KeptOutcome)
  | { status: 'rejected' }
  | { status: 'over_limit'; field: Field };

/** Returns whether a signal counts that had this outcome, now or before. */
export function isCounted(outcome: Outcome | undefined): boolean {
  return outcome?.status !== 'over_limit' && outcome?.status !== 'kept_out';
}

/** An outcome per draft, and what is to run once the batch is committed. */
interface DecidedBatch {
  outcomes: Outcome[];
  committed: readonly (() => void)[];
}

/**
 * Decides a batch: reads the signals that were recorded or kept out before and the sessions that signals may join, assigns the
 * signals to sessions, and plans all writes. An attempt by assumed rules assumes the rest of the usual case too: no signal was
 * recorded before, and no wing doubts one. The first attempt also assumes that nothing is stored for a session key without
 * a session, so that its rows are inserted, which costs half as much as an upsert. A wrong assumption fails with a duplicate
 * key, and the next attempt reads (docs/adr/0146).
 */
export async function decideBatch(
  ctx: Context,
  attempt: Attempt,
  { drafts, isReleased = false, ...batch }: Batch,
  transaction: ClientSession,
): Promise<Decision<DecidedBatch>> {
  const { rules, isAssumed } = attempt;
  const { organization } = rules;
  const orgId = organization._id;
  priceDrafts(drafts, rules.prices);
  const judged =
    batch.judged?.organization === organization
      ? batch.judged
      : judge(ctx, { drafts, ...batch }, organization);
  const recorded = isAssumed ? NONE : await findRecorded(ctx, orgId, drafts, transaction);
  const unrecorded = drafts.filter(({ _id }) => !recorded.has(_id));
  const kept = isReleased
    ? { parts: [], counting: unrecorded }
    : await keepOut(ctx, judged, unrecorded, transaction);
  const counted = await decideCounting(
    ctx,
    attempt,
    { drafts: kept.counting, past: judged.past, overLimit: batch.overLimit, isReleased },
    transaction,
  );
  const { overLimit, refused, sessionOf } = counted;
  // A repeat is answered as one, also where its value would find no room now.
  const late = isAssumed ? [...refused.keys()] : [];
  const before = late.length > 0 ? await findRecorded(ctx, orgId, late, transaction) : recorded;
  const keptOut = new Map(kept.parts.flatMap((part) => [...part.outcomes]));
  const outcomes = outcomesOf(drafts, { before, keptOut, refused, sessionOf });
  const plans = [...counted.plans, ...counted.parts, ...kept.parts];
  const guard = guardOf(attempt, {
    isWriting: plans.some(({ writes }) => writes.length > 0),
    isRelyingOnContexts: counted.parts.some((part) => part.isRelyingOnContexts),
    changesOfRules: kept.parts.flatMap(({ rules: changes }) => changes),
  });
  const committed = [...kept.parts, ...counted.parts].flatMap((part) => part.committed ?? []);
  const taken = drafts.filter((draft, index) => overLimit.has(draft) && isCounted(outcomes[index]));
  if (taken.length > 0) committed.push(() => rememberValues(ctx, orgId, taken));
  return { ...joinPlans({ writes: guard }, ...plans), result: { outcomes, committed } };
}

interface Writing {
  isWriting: boolean;
  isRelyingOnContexts: boolean;
  changesOfRules: readonly Write[];
}

/** The writes by which a batch that writes anything conflicts with a change of the rules that it does not see. */
function guardOf(
  { rules, shard, waiting }: Attempt,
  { isWriting, isRelyingOnContexts, changesOfRules }: Writing,
): Write[] {
  const { organization, version, contexts } = rules;
  const orgId = organization._id;
  if (changesOfRules.length > 0) return [...changesOfRules, ...raiseReliedVersion(orgId, version)];
  const relied = isRelyingOnContexts ? { version, contexts, waiting } : { version, waiting };
  return isWriting ? [touchOrganizationVersion(orgId, shard, relied)] : [];
}

/** Assigns signals that are neither recorded nor kept out to sessions, and plans what they change. */
async function decideCounting(
  ctx: Context,
  { rules, isFirst, shard }: Attempt,
  {
    drafts,
    past,
    isReleased,
    ...batch
  }: Pick<Batch, 'drafts' | 'overLimit' | 'isReleased'> & Pick<Judged, 'past'>,
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
  const parts = await recordAll(ctx, rules, { signals, sessionOf }, transaction);
  const assigned = { signals, past, assignments, sessionOf, fields: joinFields(parts), shard, isNew };
  return { plans: await planBatch(ctx, rules, assigned, transaction), parts, overLimit, refused, sessionOf };
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

function keyOf({ org_id, user_id, project_id, adapter }: Identity): string {
  return sessionKey(org_id, user_id, project_id, adapter);
}

interface Decided {
  before: Recorded;
  keptOut: ReadonlyMap<string, KeptOutcome>;
  refused: ReadonlyMap<Draft, Field>;
  sessionOf: ReadonlyMap<string, string>;
}

function outcomesOf(drafts: readonly Draft[], { before, keptOut, refused, sessionOf }: Decided): Outcome[] {
  const recorded = new Map(before);
  return drafts.map((draft) => {
    const { _id, user_id } = draft;
    const field = refused.get(draft);
    if (field && !before.has(_id)) return { status: 'over_limit', field };
    const first = recorded.get(_id);
    if (first) return { status: 'duplicate', session_id: first.session_id, user_id: first.user_id };
    const kept = keptOut.get(_id);
    if (kept) return { status: 'kept_out', ...kept };
    const session_id = sessionOf.get(_id);
    if (session_id === undefined) return { status: 'rejected' };
    recorded.set(_id, { session_id, user_id });
    return { status: 'accepted', session_id, user_id };
  });
}
