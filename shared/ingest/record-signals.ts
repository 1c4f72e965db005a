import type { ClientSession } from 'mongoose';
import { markForCheck } from '../anomalies/mark-for-check.ts';
import { addToBudgetWindows } from '../budgets/add-to-windows.ts';
import { moveToOtherSlot } from '../budgets/gate.ts';
import { wakeEvaluation } from '../budgets/wake-evaluation.ts';
import type { NewEvent } from '../events/new-event.ts';
import { readOrganization } from '../organizations/read-organization.ts';
import { SIGNAL_AGE_MS, SIGNALS_PER_REQUEST } from '../platform/basics/contract.ts';
import { newId } from '../platform/basics/ids.ts';
import { walkPage } from '../platform/basics/paginate.ts';
import type { Batching } from '../platform/context/batcher.ts';
import type { Context } from '../platform/context/context.ts';
import { afterCommit, inTransaction } from '../platform/mongo/transaction.ts';
import { applyWrites } from '../platform/mongo/writes.ts';
import { type Assignment, assignSignals, sessionKey } from '../sessions/assign.ts';
import { sessionEnded, sessionStarted } from '../sessions/events.ts';
import { closeSessionJob } from '../sessions/jobs.ts';
import { type Session, sessionHeadRows, sessionRows } from '../sessions/model.ts';
import { type TimerChange, writeTimers } from '../sessions/timers.ts';
import { checkSignal, type Draft, reject, type Sender } from '../signals/check-signal.ts';
import type { SignalResult } from '../signals/input.ts';
import { type Signal, signalRows } from '../signals/model.ts';
import { planRollups } from '../usage/plan-rollups.ts';
import { recordEvents } from '../webhooks/deliveries/record-events.ts';
import { signalBatchSize, signalsRecorded } from './metrics.ts';

/**
 * Records posted signals: one result per signal, in order; one bad signal never loses the others. Repeating a batch
 * changes nothing. Throws only when a store fails, and then nothing of the batch was kept (or a repeat finds it).
 */
export async function recordSignals(
  ctx: Context,
  sender: Sender,
  posted: readonly unknown[],
): Promise<SignalResult[]> {
  const nowMs = ctx.clock.now();
  const checked = posted.map((signal) => checkSignal(signal, sender, nowMs));
  const drafts = checked.filter((result) => '_id' in result);
  const recorded =
    drafts.length === 0
      ? []
      : await ctx.batcher.submit(`signals ${sender.orgId}`, drafts, signalBatching(ctx, sender.orgId));
  let next = 0;
  const results = checked.map((result) =>
    '_id' in result ? tell(sender, result, recorded[next++] as Recorded) : result,
  );
  for (const result of results) signalsRecorded(ctx).inc({ status: result.status });
  return results;
}

/** Where the signal of a draft's key stands, and whose it is: the draft's own, or the one that came before. */
interface Recorded {
  status: 'accepted' | 'duplicate';
  session_id: string;
  user_id: string;
}

/** A key's id is taken once in an organization; a bound sender is told so, and nothing of another user's signal. */
function tell(sender: Sender, { id }: Draft, { status, session_id, user_id }: Recorded): SignalResult {
  if (sender.boundUserId !== null && user_id !== sender.boundUserId)
    return reject(id, 'id_taken', 'id: is taken by a signal that this key does not see; choose another');
  return { id, status, session_id };
}

/** A fraction of what a transaction costs however little is in it. */
const LINGER_MS = 4;

/** One transaction per organization at a time; what arrives meanwhile joins the next one. */
function signalBatching(ctx: Context, orgId: string): Batching<readonly Draft[], Recorded[]> {
  return {
    maxWeight: SIGNALS_PER_REQUEST,
    weigh: (drafts) => drafts.length,
    lingerMs: LINGER_MS,
    run: async (batches) => {
      const drafts = batches.flat();
      let attempts = 0;
      const results = await inTransaction(ctx.db, (transaction) => {
        attempts += 1;
        if (attempts > 1) moveToOtherSlot();
        return commit(ctx, orgId, drafts, transaction);
      });
      signalBatchSize(ctx).observe(drafts.length);
      let from = 0;
      return batches.map((batch) => {
        from += batch.length;
        return results.slice(from - batch.length, from);
      });
    },
  };
}

/** The write path: signals, sessions, rollups, budget windows and events, all or nothing; the commit wakes what is due. */
async function commit(
  ctx: Context,
  orgId: string,
  drafts: readonly Draft[],
  transaction: ClientSession,
): Promise<Recorded[]> {
  const organization = await readOrganization(ctx, orgId, transaction);
  const known = await findKnown(ctx, drafts, transaction);
  const fresh = firstOfEach(drafts.filter((draft) => !known.has(draft._id)));
  const timeoutMs = organization.session_timeout * 1_000;
  const assignments = await assignByKey(ctx, fresh, timeoutMs, transaction);
  const placed = new Map(assignments.flatMap((assignment) => [...assignment.placed]));
  const changed = assignments.flatMap((assignment) => assignment.changed);
  if (fresh.length > 0) {
    await markForCheck(ctx, changed, transaction);
    await insertSignals(ctx, fresh, placed, transaction);
    await writeSessions(ctx, assignments, timeoutMs, transaction);
    await applyWrites(ctx, planRollups(organization, fresh, changed, ctx.clock.now()), transaction);
    await recordEvents(ctx, changed.flatMap(eventsOf), transaction);
    const budgetsDue = await addToBudgetWindows(ctx, orgId, fresh, changed, transaction);
    afterCommit(transaction, () => {
      wakeTimers(ctx, changed, timeoutMs);
      if (budgetsDue) wakeEvaluation(ctx, orgId);
    });
  }
  return answer(drafts, known, placed);
}

type Standing = Omit<Recorded, 'status'>;

/** By signal key, the signals that were recorded before. */
async function findKnown(
  ctx: Context,
  drafts: readonly Draft[],
  transaction: ClientSession,
): Promise<Map<string, Standing>> {
  const ids = drafts.map((draft) => draft._id);
  const rows = await signalRows(ctx)
    .find({ _id: { $in: ids } }, { session: transaction, projection: { session_id: 1, user_id: 1 } })
    .toArray();
  return new Map(rows.map((row) => [row._id, row]));
}

function firstOfEach(drafts: readonly Draft[]): Draft[] {
  const seen = new Map<string, Draft>();
  for (const draft of drafts) if (!seen.has(draft._id)) seen.set(draft._id, draft);
  return [...seen.values()];
}

async function assignByKey(
  ctx: Context,
  fresh: readonly Draft[],
  timeoutMs: number,
  transaction: ClientSession,
): Promise<Assignment[]> {
  const groups = Map.groupBy(fresh, (draft) =>
    sessionKey(draft.org_id, draft.user_id, draft.project_id, draft.adapter),
  );
  const newest = await findNewest(ctx, [...groups.keys()], transaction);
  const assignments: Assignment[] = [];
  for (const [key, signals] of groups) {
    const existing = await findReachable(ctx, key, newest.get(key), signals, timeoutMs, transaction);
    const nowMs = ctx.clock.now();
    assignments.push(
      assignSignals({ key, existing, signals, timeoutMs, nowMs, newSessionId: () => newId('ses') }),
    );
  }
  return assignments;
}

/** The newest session of each key. Two reads by `_id`, whatever the number of keys. */
async function findNewest(
  ctx: Context,
  keys: readonly string[],
  transaction: ClientSession,
): Promise<Map<string, Session>> {
  const heads = await sessionHeadRows(ctx)
    .find({ _id: { $in: keys } }, { projection: { session_id: 1 }, session: transaction })
    .toArray();
  if (heads.length === 0) return new Map();
  const ids = heads.map((head) => head.session_id);
  const sessions = await sessionRows(ctx)
    .find({ _id: { $in: ids } }, { session: transaction })
    .toArray();
  return new Map(sessions.map((session) => [session.key, session]));
}

/** Usually the newest alone; for late signals all that begin after them, and the last that begins before. */
async function findReachable(
  ctx: Context,
  key: string,
  newest: Session | undefined,
  signals: readonly Draft[],
  timeoutMs: number,
  transaction: ClientSession,
): Promise<Session[]> {
  if (!newest) return [];
  const earliestMs = Math.min(...signals.map((signal) => signal.ts.getTime()));
  if (earliestMs >= newest.started_at.getTime()) return [newest];
  const edge = new Date(earliestMs - timeoutMs);
  const after = await sessionRows(ctx)
    .find({ key, started_at: { $gte: edge } }, { session: transaction })
    .toArray();
  return [...(await findLastBefore(ctx, key, edge, transaction)), ...after];
}

/** Sessions of a key never overlap: of those that begin before a moment only the last can reach to it. */
async function findLastBefore(
  ctx: Context,
  key: string,
  moment: Date,
  transaction: ClientSession,
): Promise<Session[]> {
  const { rows } = await walkPage<Session>({
    order: 'desc',
    fromMs: moment.getTime() - 2 * SIGNAL_AGE_MS.behind,
    toMs: moment.getTime(),
    after: null,
    limit: 1,
    position: (session) => ({ atMs: session.started_at.getTime(), id: session._id }),
    fetchTies: async () => [],
    fetchRange: (from, to, limit) =>
      sessionRows(ctx)
        .find({ key, started_at: { $gte: new Date(from), $lt: new Date(to) } }, { session: transaction })
        .sort({ started_at: -1 })
        .limit(limit)
        .toArray(),
  });
  return rows;
}

async function insertSignals(
  ctx: Context,
  fresh: readonly Draft[],
  placed: ReadonlyMap<string, string>,
  transaction: ClientSession,
): Promise<void> {
  const rows: Signal[] = fresh.map((draft) => ({ ...draft, session_id: placed.get(draft._id) as string }));
  await signalRows(ctx).insertMany(rows, { session: transaction, ordered: false });
}

async function writeSessions(
  ctx: Context,
  assignments: readonly Assignment[],
  timeoutMs: number,
  transaction: ClientSession,
): Promise<void> {
  const changed = assignments.flatMap((assignment) => assignment.changed);
  const writes = changed.map(({ before, after }) =>
    before
      ? { replaceOne: { filter: { _id: after._id }, replacement: after } }
      : { insertOne: { document: after } },
  );
  if (writes.length > 0) await sessionRows(ctx).bulkWrite(writes, { session: transaction, ordered: false });
  await writeTimers(ctx, timerChanges(changed, timeoutMs), transaction);
  await writeHeads(ctx, assignments, transaction);
}

/** Activity leaves the timer alone: it looks at the session when it is due. */
function timerChanges(changed: Assignment['changed'], timeoutMs: number): TimerChange[] {
  return changed
    .filter(({ before, after }) => (before?.state ?? 'ended') !== after.state)
    .map(({ after }) => ({
      session: after,
      dueMs: after.state === 'open' ? after.last_activity_at.getTime() + timeoutMs + 1 : null,
    }));
}

async function writeHeads(
  ctx: Context,
  assignments: readonly Assignment[],
  transaction: ClientSession,
): Promise<void> {
  const heads = assignments.flatMap(({ reshaped, newest }) => (reshaped && newest ? [newest] : []));
  if (heads.length === 0) return;
  await sessionHeadRows(ctx).bulkWrite(
    heads.map(({ key, _id }) => ({
      updateOne: {
        filter: { _id: key },
        update: { $set: { session_id: _id }, $inc: { version: 1 } },
        upsert: true,
      },
    })),
    { session: transaction, ordered: false },
  );
}

function eventsOf({ before, after }: Assignment['changed'][number]): NewEvent[] {
  const ended = after.state === 'ended' && before?.state !== 'ended';
  return [...(before ? [] : [sessionStarted(after)]), ...(ended ? [sessionEnded(after)] : [])];
}

function answer(
  drafts: readonly Draft[],
  known: ReadonlyMap<string, Standing>,
  placed: ReadonlyMap<string, string>,
): Recorded[] {
  const standing = new Map(known);
  return drafts.map(({ _id, user_id }) => {
    const before = standing.get(_id);
    if (before) return { status: 'duplicate', session_id: before.session_id, user_id: before.user_id };
    const own = { session_id: placed.get(_id) as string, user_id };
    standing.set(_id, own);
    return { status: 'accepted', ...own };
  });
}

/** A delayed job per session that has just opened; activity never touches the queue. */
function wakeTimers(ctx: Context, changed: Assignment['changed'], timeoutMs: number): void {
  const opened = changed.filter(({ before, after }) => before === null && after.state === 'open');
  ctx.queues.wake(
    closeSessionJob,
    opened.map(({ after }) => ({
      id: after._id,
      job: { session_id: after._id },
      delayMs: after.last_activity_at.getTime() + timeoutMs + 1 - ctx.clock.now(),
    })),
  );
}
