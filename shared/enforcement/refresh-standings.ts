import { DeadlineError, within } from '../platform/basics/within.ts';
import type { Context } from '../platform/context/context.ts';
import { perContext } from '../platform/context/per-context.ts';
import { callReservations } from './call-reservations.ts';
import { reservationsUnsettled } from './metrics.ts';
import { settlementRows } from './model.ts';
import { type Look, lookAtReservations, markReservations, openReservations } from './open-reservations.ts';
import { type Reading, readStandings } from './read-standings.ts';
import type { Reserved, Standing } from './standing.ts';

/** How long Redis may take for one of its two parts, as a busy machine needs it. Both fit into the deadline of a read. */
const REDIS_DEADLINE_MS = 400;
/** The same while it does not answer at all, so that the rest does not get old beside it. */
const SILENT_DEADLINE_MS = 100;

/** True while Redis has left the last call without an answer. A late answer ends that. */
const redisOf = perContext(() => ({ isSilent: false }));

/**
 * How the budgets of organizations stand now, with what reservations hold. The order is what makes it exact: a look at
 * Redis' clock, then the amounts and the settlements in one snapshot, then Redis is told what was settled. Without Redis
 * the reservations stay as they were known. Throws a store error when MongoDB does not answer.
 */
export async function refreshStandings(
  ctx: Context,
  known: ReadonlyMap<string, Standing | null>,
): Promise<Map<string, Standing>> {
  const reserving = [...known].filter(([, standing]) => standing === null || standing.definitions.mayReserve);
  const looks = new Map<string, Look | null>();
  const look = async ([orgId]: [string, unknown]) => {
    looks.set(orgId, await unlessAway(ctx, () => lookAtReservations(ctx, orgId)));
  };
  await Promise.all(reserving.map(look));
  const readings = await readStandings(ctx, known);
  const refreshed = [...readings].map(async ([orgId, reading]): Promise<[string, Standing]> => {
    const before = known.get(orgId)?.reserved ?? null;
    const seen = reading.standing.definitions.mayReserve ? looks.get(orgId) : null;
    const reserved = seen ? await unlessAway(ctx, () => settle(ctx, reading, seen)) : null;
    return [orgId, { ...reading.standing, reserved: reserved ?? before }];
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

/** Tells Redis what the amounts hold, and returns what is still reserved beside them. Null when that is not known. */
async function settle(ctx: Context, reading: Reading, look: Look): Promise<Reserved | null> {
  const { standing, settlements, mark } = reading;
  const { orgId, touches } = standing;
  if (!look.isOpen || mark === null) {
    await openReservations(ctx, orgId, look);
  } else if (mark.epoch !== look.identity) {
    ctx.log.error(
      { org_id: orgId },
      'reservations were opened for the data of another Redis; stop one of the two',
    );
    return null;
  }
  const settled = settlements.map(({ reservation_id }) => reservation_id);
  const { code, values } = await callReservations(ctx, 'settle', orgId, [touches, ...settled]);
  if (code === 'shut') return null;
  const [seq, unsettled, ...open] = values;
  reservationsUnsettled(ctx).inc(Number(unsettled));
  const sums = new Map<string, number>();
  for (let index = 0; index < open.length; index += 3) {
    const key = open[index + 1] as string;
    sums.set(key, (sums.get(key) ?? 0) + Number(open[index + 2]));
  }
  const reserved = { identity: look.identity, redisMs: look.redisMs, seq: Number(seq), sums };
  keepRecord(ctx, reading, reserved, open.join(' ')).catch((error: unknown) =>
    ctx.log.debug({ err: error }, 'what is known of reservations was not written; the next read writes it'),
  );
  return { ...reserved, readMs: performance.now() };
}

/** What is lost here the next read does: a settlement that is told twice changes nothing. */
async function keepRecord(
  ctx: Context,
  { standing, settlements, mark }: Reading,
  { identity, seq }: Pick<Reserved, 'identity' | 'seq'>,
  held: string,
): Promise<void> {
  const ids = settlements.map(({ _id }) => _id);
  if (ids.length > 0) await settlementRows(ctx).deleteMany({ _id: { $in: ids } });
  if (ids.length > 0 || mark?.seq !== seq)
    await markReservations(ctx, standing.orgId, { identity, seq, held });
}
