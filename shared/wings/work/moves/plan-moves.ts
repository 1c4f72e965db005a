import type { ClientSession } from 'mongoose';
import type { Organization } from '../../../core/accounts/organizations/model.ts';
import { type Signal, signalRows } from '../../../core/calls/signals/model.ts';
import { planMovedRollups } from '../../../core/calls/usage/plan-rollups.ts';
import type { Context } from '../../../platform/context/context.ts';
import { deleteRows, updateRow, type Write } from '../../../platform/mongo/writes.ts';
import { writePair, writeWork } from '../attribution/decide-works.ts';
import { pairOf, sessionWorkRows } from '../attribution/model.ts';
import type { FoundMoves, Looked } from './find-moves.ts';

/** The writes of moves, and the pairs of session and work whose last call has gone (`pairOf`). */
export interface PlannedMoves {
  writes: Write[];
  emptied: string[];
}

/**
 * Plans that calls count under their new works: the calls, the rollups less and more, the marks on snapshots, and the works of
 * their sessions. It raises no event, and changes no session and no budget.
 */
export async function planMoves(
  ctx: Context,
  organization: Organization,
  { moved, others }: Pick<FoundMoves, 'moved' | 'others'>,
  transaction: ClientSession,
): Promise<PlannedMoves> {
  if (moved.length === 0) return { writes: [], emptied: [] };
  const org_id = organization._id;
  const workOf = new Map(moved.map(({ call, work }) => [call._id, work]));
  const signals = await signalRows(ctx)
    .find({ _id: { $in: [...workOf.keys()] }, org_id }, { session: transaction })
    .toArray();
  const counted = signals.filter(({ voided }) => !voided);
  const after = counted.map((signal) => withWork(signal, workOf.get(signal._id)?._id));
  const works = new Map([...workOf.values()].flatMap((work) => (work ? [[work._id, work]] : [])));
  const pairs = new Map(
    after.flatMap(({ session_id, work }) =>
      work === undefined ? [] : [[pairOf(session_id, work), writePair(org_id, session_id, work)]],
    ),
  );
  const emptied = await findEmptied(ctx, org_id, { leaving: counted, others, kept: pairs }, transaction);
  const hashNames = organization.hash_names === true;
  const writes = [
    ...[...workOf].map(([_id, work]) =>
      updateRow(
        signalRows,
        { _id, org_id },
        work ? { $set: { work: work._id } } : { $unset: { work: true } },
      ),
    ),
    ...planMovedRollups(organization, { before: counted, after }, ctx.clock.now()),
    ...[...works.values()].map((work) => writeWork(work, hashNames)),
    ...pairs.values(),
    ...emptied.map((pair) => deletePair(org_id, pair)),
  ];
  return { writes, emptied };
}

function withWork({ work: _work, ...signal }: Signal, work: string | undefined): Signal {
  return work === undefined ? signal : { ...signal, work };
}

export function deletePair(org_id: string, pair: string): Write {
  return deleteRows(sessionWorkRows, { _id: pair, org_id });
}

interface Leaving {
  /** Calls that leave their work. */
  leaving: readonly Pick<Signal, '_id' | 'session_id' | 'work'>[];
  /** Calls that are known to stay where they are. */
  others?: readonly Looked[];
  /** Pairs that get a call by the same plan. */
  kept?: { has: (pair: string) => boolean };
}

/** The pairs of session and work that have no call once these have left. It reads only where no known call stays. */
export async function findEmptied(
  ctx: Context,
  org_id: string,
  { leaving, others = [], kept = new Set<string>() }: Leaving,
  transaction: ClientSession,
): Promise<string[]> {
  const staying = new Set(others.map(({ session_id, work = '' }) => pairOf(session_id, work)));
  const left = new Map<string, { session_id: string; work: string }>();
  for (const { session_id, work } of leaving) {
    if (work === undefined) continue;
    const pair = pairOf(session_id, work);
    if (!staying.has(pair) && !kept.has(pair)) left.set(pair, { session_id, work });
  }
  if (left.size === 0) return [];
  const sessions = [...new Set([...left.values()].map(({ session_id }) => session_id))];
  const gone = leaving.map(({ _id }) => _id);
  const worked = { work: { $exists: true }, voided: { $exists: false }, _id: { $nin: gone } };
  const remaining = await signalRows(ctx)
    .aggregate<{ _id: { session_id: string; work: string } }>(
      [
        { $match: { session_id: { $in: sessions }, org_id, ...worked } },
        { $group: { _id: { session_id: '$session_id', work: '$work' } } },
      ],
      { session: transaction },
    )
    .toArray();
  const there = new Set(remaining.map(({ _id }) => pairOf(_id.session_id, _id.work)));
  return [...left.keys()].filter((pair) => !there.has(pair));
}
