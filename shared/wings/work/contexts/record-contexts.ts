import type { ClientSession } from 'mongoose';
import { findOverLimit } from '../../../core/calls/ingest/count-values.ts';
import { takeTurn } from '../../../core/calls/ingest/take-turn.ts';
import type { Sender } from '../../../core/calls/signals/check-signal.ts';
import { keptName } from '../../../core/calls/signals/place.ts';
import { commitByRules, type OrganizationRules } from '../../../core/limits/budgets/rules/rules.ts';
import { CONTEXTS_PER_SESSION, SIGNALS_PER_REQUEST } from '../../../platform/basics/contract.ts';
import { orUnknown } from '../../../platform/basics/errors.ts';
import type { Decision } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { currentShard } from '../../../platform/mongo/counter-shards.ts';
import { findByIds } from '../../../platform/mongo/find-by-ids.ts';
import { checkContext, rejectContext } from '../attribution/check-context.ts';
import type { ContextResult } from '../attribution/context-input.ts';
import { type ContextRow, contextRows } from '../attribution/model.ts';
import { contextsTold } from '../moves/metrics.ts';
import { planFacts, type RecordedFacts, rememberFacts } from '../moves/plan-facts.ts';
import { type Rename, takenRenames } from '../moves/taken-renames.ts';

/** A result per context, how many calls have moved with them, and whether workers move more. */
export interface RecordedContexts {
  results: ContextResult[];
  moved: number;
  moving: boolean;
}

/**
 * Records posted contexts: one result per context, in order; one bad context never loses the others. Calls that were recorded
 * before move to the work that they belong to now. Repeating it changes nothing. Throws only when a store fails.
 */
export async function recordContexts(
  ctx: Context,
  sender: Sender,
  posted: readonly unknown[],
): Promise<RecordedContexts> {
  const checked = posted.map((context) => checkContext(ctx, context, sender));
  const rows = checked.filter((result) => '_id' in result);
  const overLimit = await findNewOverLimit(ctx, sender.orgId, rows);
  const fine = rows.filter((row) => !overLimit.has(row));
  const isBound = sender.boundUserId !== null;
  const told: Told[] = [];
  for (const part of inParts(fine)) {
    const turn = takeTurn(ctx, sender.orgId, {
      item: { rows: part.rows, isBound },
      ...part,
      run: commitTold,
    });
    // An earlier part stays written.
    const detail = 'Some of the contexts may be recorded. Repeat the request: repeats change nothing.';
    told.push(await (told.length === 0 ? turn : orUnknown(turn, detail)));
  }
  const outcomes = new Map(told.flatMap((each) => each.outcomes));
  const moved = told.reduce((sum, each) => sum + each.moved, 0);
  const moving = told.some((each) => each.moving);
  const results = checked.map((result): ContextResult => {
    if (!('_id' in result)) return result;
    return overLimit.has(result) ? TOO_MANY_VALUES : (outcomes.get(result) as ContextResult);
  });
  for (const { status } of results) contextsTold(ctx).inc({ status });
  return { results, moved, moving };
}

/** Client sessions of one transaction: it reads all contexts of each, up to 2,000. */
const SESSIONS_AT_ONCE = 25;

/** The contexts of a request in parts that have a turn each: others have theirs between them. */
function inParts(rows: readonly ContextRow[]): { rows: ContextRow[]; weight: number }[] {
  const sessions = [...Map.groupBy(rows, ({ client_session }) => client_session).values()];
  return Array.from({ length: Math.ceil(sessions.length / SESSIONS_AT_ONCE) }, (_, at) => {
    const own = sessions.slice(at * SESSIONS_AT_ONCE, (at + 1) * SESSIONS_AT_ONCE);
    const ofSessions = own.length * (SIGNALS_PER_REQUEST / SESSIONS_AT_ONCE);
    return { rows: own.flat(), weight: Math.max(own.flat().length, ofSessions) };
  });
}

const TOO_MANY_VALUES = rejectContext(
  'too_many_values',
  'the organization has as many repositories, branches and tasks today as it may have',
);

/** The contexts that name something new where the organization has as many works today as it may have. */
async function findNewOverLimit(
  ctx: Context,
  orgId: string,
  rows: readonly ContextRow[],
): Promise<ReadonlySet<ContextRow>> {
  const counted = rows.map((row) => ({
    row,
    model: null,
    user_id: null,
    project_id: null,
    parts: { own: [], ...(row.place ? { place: row.place } : {}), ...(row.task ? { task: row.task } : {}) },
  }));
  const over = await findOverLimit(ctx, orgId, counted);
  return new Set([...over.keys()].map(({ row }) => row));
}

/** The contexts of one request, and whether its key is bound to one user. */
interface Request {
  rows: readonly ContextRow[];
  isBound: boolean;
}

interface Told {
  outcomes: readonly (readonly [ContextRow, ContextResult])[];
  moved: number;
  moving: boolean;
}

/** Records the contexts of several requests in one transaction. Each request is told of all calls that moved with it. */
async function commitTold(ctx: Context, orgId: string, requests: readonly Request[]): Promise<Told[]> {
  const decided = await commitByRules(ctx, orgId, { shardOf: currentShard }, ({ rules }, transaction) =>
    decideTold(ctx, rules, requests, transaction),
  );
  rememberFacts(ctx, decided.recorded);
  const { moved, moving } = decided.recorded;
  const outcomes = [...decided.outcomes];
  return requests.map(({ rows }) => ({
    outcomes: rows.map((row) => [row, outcomes.shift() as ContextResult] as const),
    moved: moved.context + moved.boundary,
    moving,
  }));
}

async function decideTold(
  ctx: Context,
  rules: OrganizationRules,
  requests: readonly Request[],
  transaction: ClientSession,
): Promise<Decision<{ outcomes: ContextResult[]; recorded: RecordedFacts }>> {
  const rows = requests.flatMap((request) => request.rows);
  const ofBound = new Set(requests.flatMap((request) => (request.isBound ? request.rows : [])));
  const sessions = [...new Set(rows.map(({ client_session }) => client_session))];
  const ids = rows.map(({ _id }) => _id);
  const known = new Set((await findByIds(contextRows(ctx), ids, transaction)).map(({ _id }) => _id));
  const counts = await countContexts(ctx, sessions, transaction);
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  const { hash_names, erased_users } = rules.organization;
  const erased = new Set<string | undefined>(erased_users);
  const fresh: ContextRow[] = [];
  const renames: Rename[] = [];
  const outcomes = rows.map((row): ContextResult => {
    // The calls of an erased user belong to no client session, so the context would say something of the person alone.
    if (erased.has(row.user_id)) return { status: 'accepted' };
    if (known.has(row._id)) return { status: 'duplicate' };
    if ((counts.get(row.client_session) ?? 0) >= CONTEXTS_PER_SESSION) return TOO_MANY_CONTEXTS;
    known.add(row._id);
    count(row.client_session);
    fresh.push(withKeptNames(row, hash_names === true));
    renames.push(...renameOf(row, ofBound.has(row)));
    return { status: 'accepted' };
  });
  const boundaries = await takenRenames(ctx, rules.organization._id, renames, transaction);
  const { result: recorded, ...plan } = await planFacts(
    ctx,
    rules,
    { contexts: fresh, boundaries },
    transaction,
  );
  return { ...plan, result: { outcomes, recorded } };
}

async function countContexts(ctx: Context, sessions: readonly string[], transaction: ClientSession) {
  const stages = [
    { $match: { client_session: { $in: sessions } } },
    { $group: { _id: '$client_session', n: { $sum: 1 } } },
  ];
  const rows = await contextRows(ctx)
    .aggregate<{ _id: string; n: number }>(stages, { session: transaction })
    .toArray();
  return new Map(rows.map(({ _id, n }) => [_id, Number(n)]));
}

function renameOf({ place, renamed_from, ts, user_id }: ContextRow, isBound: boolean): Rename[] {
  if (!place?.branch || !renamed_from) return [];
  const { repository, branch } = place;
  const boundary = { repository, branch_hash: renamed_from.hash, atMs: ts.getTime() };
  const only = isBound && user_id !== undefined ? { onlyOf: user_id } : {};
  return [{ boundary: { ...boundary, renamed_to: branch.hash }, ...only }];
}

const TOO_MANY_CONTEXTS = rejectContext(
  'too_many_contexts',
  `client_session_id: has ${CONTEXTS_PER_SESSION} contexts, which is as many as it may have`,
);

/** A context whose names are kept as the organization keeps names. Pure. */
function withKeptNames(row: ContextRow, hashNames: boolean): ContextRow {
  const { place, task, worktree, renamed_from } = row;
  const branch = place?.branch && keptName(place.branch, hashNames);
  return {
    ...row,
    ...(place && branch ? { place: { ...place, branch } } : {}),
    ...(task ? { task: keptName(task, hashNames) } : {}),
    ...(worktree ? { worktree: keptName(worktree, hashNames) } : {}),
    ...(renamed_from ? { renamed_from: keptName(renamed_from, hashNames) } : {}),
  };
}
