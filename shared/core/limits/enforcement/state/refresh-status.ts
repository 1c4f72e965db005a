import { DeadlineError, within } from '../../../../platform/basics/within.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { perContext } from '../../../../platform/context/per-context.ts';
import { type BudgetStatus, mayReserve, type Reserved } from './budget-status.ts';
import { callReservations } from './call-reservations.ts';
import { reservationsUnsettled } from './metrics.ts';
import { settlementRows } from './model.ts';
import { readStatuses, type StatusSnapshot } from './read-status.ts';
import {
  openReservations,
  type RedisState,
  readReservationState,
  recordReservationState,
} from './reservation-state.ts';

/** How long Redis may take for one of its two parts, as a busy machine needs it. Both fit into the deadline of a read. */
const REDIS_DEADLINE_MS = 400;
/** The same while it does not answer at all, so that the rest does not get old beside it. */
const SILENT_DEADLINE_MS = 100;

/** True while Redis has left the last call without an answer. A late answer ends that. */
const redisOf = perContext(() => ({ isSilent: false }));

/**
 * Reads the status of organizations' budgets, with the amounts that reservations hold. The order makes it exact: first Redis'
 * clock, then the amounts and the settlements in one snapshot, then Redis gets the settlements. Without Redis the
 * reservations stay as they were known. Throws a store error when MongoDB does not answer.
 */
export async function refreshStatuses(
  ctx: Context,
  known: ReadonlyMap<string, BudgetStatus | null>,
): Promise<Map<string, BudgetStatus>> {
  const reserving = [...known].filter(([, status]) => status === null || mayReserve(status.rules.limits));
  const states = new Map<string, RedisState | null>();
  const readState = async ([orgId]: [string, unknown]) => {
    states.set(orgId, await unlessAway(ctx, () => readReservationState(ctx, orgId)));
  };
  await Promise.all(reserving.map(readState));
  const snapshots = await readStatuses(ctx, known);
  const refreshed = [...snapshots].map(async ([orgId, snapshot]): Promise<[string, BudgetStatus]> => {
    const before = known.get(orgId)?.reserved ?? null;
    const found = mayReserve(snapshot.status.rules.limits) ? states.get(orgId) : null;
    const reserved = found ? await unlessAway(ctx, () => settle(ctx, snapshot, found)) : null;
    return [orgId, { ...snapshot.status, reserved: reserved ?? before }];
  });
  return new Map(await Promise.all(refreshed));
}

async function unlessAway<T>(ctx: Context, work: () => Promise<T>): Promise<T | null> {
  const redis = redisOf(ctx);
  const answered = work().then((answer) => {
    redis.isSilent = false;
    return answer;
  });
  try {
    return await within(redis.isSilent ? SILENT_DEADLINE_MS : REDIS_DEADLINE_MS, 'Redis', answered);
  } catch (error) {
    if (error instanceof DeadlineError) redis.isSilent = true;
    ctx.log.debug({ err: error }, 'the reservations could not be read');
    return null;
  }
}

/** Settles the reservations whose cost is in the usage, and returns those beside it. Null when they are not known. */
async function settle(ctx: Context, snapshot: StatusSnapshot, found: RedisState): Promise<Reserved | null> {
  const { status, settlements, state } = snapshot;
  const { orgId, touches } = status;
  if (!found.isOpen || state === null) {
    await openReservations(ctx, orgId, found);
  } else if (state.epoch !== found.identity) {
    ctx.log.error(
      { org_id: orgId },
      'reservations were opened for the data of another Redis; stop one of the two',
    );
    return null;
  }
  const settled = settlements.flatMap(({ reservation_id, user = '' }) => [reservation_id, user]);
  const { code, values } = await callReservations(ctx, 'settle', orgId, [touches, ...settled]);
  if (code === 'shut') return null;
  const [seq, unsettled, held = ''] = values;
  reservationsUnsettled(ctx).inc(Number(unsettled));
  const sums = new Map<string, number>();
  const open = held === '' ? [] : held.split(' ');
  for (let index = 0; index < open.length; index += 3) {
    const key = open[index + 1] as string;
    sums.set(key, (sums.get(key) ?? 0) + Number(open[index + 2]));
  }
  const reserved = { identity: found.identity, redisMs: found.redisMs, seq: Number(seq), sums };
  keepRecord(ctx, snapshot, reserved, held).catch((error: unknown) =>
    ctx.log.debug({ err: error }, 'the state of the reservations was not recorded; the next read records it'),
  );
  return { ...reserved, readMs: performance.now() };
}

/** The next read repeats what is lost here: settling a reservation twice changes nothing. */
async function keepRecord(
  ctx: Context,
  { status, settlements, state }: StatusSnapshot,
  { identity, seq }: Pick<Reserved, 'identity' | 'seq'>,
  held: string,
): Promise<void> {
  const ids = settlements.map(({ _id }) => _id);
  if (ids.length > 0) await settlementRows(ctx).deleteMany({ _id: { $in: ids } });
  if (ids.length > 0 || state?.seq !== seq)
    await recordReservationState(ctx, status.orgId, { identity, seq, held });
}
