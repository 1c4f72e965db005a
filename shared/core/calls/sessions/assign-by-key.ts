import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../platform/basics/clock.ts';
import { newId } from '../../../platform/basics/ids.ts';
import { inTurns } from '../../../platform/basics/in-batches.ts';
import { DAY_MS } from '../../../platform/basics/interval.ts';
import type { Context } from '../../../platform/context/context.ts';
import type { Draft } from '../signals/check-signal.ts';
import { type Assignment, assignSignals } from './assign.ts';
import { type Session, sessionHeadRows, sessionRows } from './model.ts';

/** The newest session of each key. One command, whatever the number of keys; none without keys. */
export async function findNewest(
  ctx: Context,
  orgId: string,
  keys: ReadonlySet<string>,
  transaction: ClientSession,
): Promise<Map<string, Session>> {
  if (keys.size === 0) return new Map();
  const newest = await sessionHeadRows(ctx)
    .aggregate<Session>(
      [
        { $match: { _id: { $in: [...keys] } } },
        {
          $lookup: {
            from: sessionRows.collectionName,
            localField: 'session_id',
            foreignField: '_id',
            as: 'sessions',
            pipeline: [{ $match: { org_id: orgId } }],
          },
        },
        { $unwind: '$sessions' },
        { $replaceRoot: { newRoot: '$sessions' } },
      ],
      { session: transaction },
    )
    .toArray();
  return new Map(newest.map((session) => [session.key, session]));
}

/** Keys whose signals are assigned in one turn of the event loop. */
const KEYS_AT_ONCE = 250;

/** Assigns signals, by their session keys, to sessions, given the newest session of each key. */
export async function assignByKey(
  ctx: Context,
  byKey: ReadonlyMap<string, readonly Draft[]>,
  limits: { newest: ReadonlyMap<string, Session>; timeoutMs: number; mostModels: number },
  transaction: ClientSession,
): Promise<Assignment[]> {
  const { newest, timeoutMs, mostModels } = limits;
  const assignments: Assignment[] = [];
  const newSessionId = () => newId('ses');
  for await (const some of inTurns([...byKey], KEYS_AT_ONCE))
    for (const [key, signals] of some) {
      const times = signals.map((signal) => signal.ts.getTime());
      const span = { earliestMs: Math.min(...times), latestMs: Math.max(...times) };
      const existing = await findReachable(ctx, newest.get(key), span, timeoutMs, transaction);
      const nowMs = ctx.clock.now();
      assignments.push(assignSignals({ key, existing, signals, timeoutMs, nowMs, mostModels, newSessionId }));
    }
  return assignments;
}

/** The time range of signals of a key, epoch ms. */
interface Span {
  earliestMs: number;
  latestMs: number;
}

/** How far before the reach of late signals the first read goes: most users had a session by then. */
const LOOK_BACK_MS = DAY_MS;

/**
 * The sessions of a key that signals may join, given its newest one, which is always among them: usually that alone; for
 * late signals all that begin within their reach, and the last that begins before. There may be others among them.
 */
export async function findReachable(
  ctx: Context,
  newest: Session | undefined,
  { earliestMs, latestMs }: Span,
  timeoutMs: number,
  transaction: ClientSession,
): Promise<Session[]> {
  if (!newest) return [];
  if (earliestMs >= newest.started_at.getTime()) return [newest];
  const { key, org_id } = newest;
  const find = (started_at: { $gte?: Date; $lt: Date }, options: { sort?: { started_at: -1 }; limit?: 1 }) =>
    sessionRows(ctx)
      .find({ key, started_at, org_id }, { session: transaction, ...options })
      .toArray();
  const reachMs = earliestMs - timeoutMs;
  const lookMs = reachMs - LOOK_BACK_MS;
  const near = await find({ $gte: dateAt(lookMs), $lt: dateAt(latestMs + timeoutMs + 1) }, {});
  // Sessions of a key never overlap: only the last that begins before a moment can reach to it, however long ago it began.
  const isLastKnown = near.some(({ started_at }) => started_at.getTime() < reachMs);
  const last = isLastKnown ? [] : await find({ $lt: dateAt(lookMs) }, { sort: { started_at: -1 }, limit: 1 });
  return [...[...last, ...near].filter(({ _id }) => _id !== newest._id), newest];
}
