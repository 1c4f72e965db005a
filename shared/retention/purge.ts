import { auditRows } from '../audit/model.ts';
import { eventRows } from '../events/model.ts';
import { idempotencyRecordRows } from '../idempotency/model.ts';
import { organizationRows } from '../organizations/model.ts';
import { SIGNAL_AGE_MS } from '../platform/basics/contract.ts';
import type { Context } from '../platform/context/context.ts';
import { signalRows } from '../signals/model.ts';
import { rollupRows, usageTotalRows } from '../usage/model.ts';
import { deliveryRows, POSITIONS_PER_MS, queuedDeliveryRows } from '../webhooks/deliveries/model.ts';
import { purgedRows } from './metrics.ts';

const DAY_MS = 86_400_000;
/** Rows of one delete: short enough that nothing waits for it. */
const BATCH_ROWS = 1_000;
/** Batches of one run and thing: what is left waits for the next run. */
const MOST_BATCHES = 500;
/** Quarter hours are read until 35 days back; a day more, and no reader meets the purge. */
const QUARTER_HOUR_SLACK_MS = DAY_MS;

/** What goes, and when: a row a thing that is not kept for ever. Returns how many rows went. */
const PURGES: Record<string, (ctx: Context, nowMs: number) => Promise<number>> = {
  signals: (ctx, nowMs) =>
    eachOrganization(ctx, (orgId) => {
      const ts = { $lt: new Date(nowMs - ctx.config.signalRetentionDays * DAY_MS) };
      return deleteAll(
        (limit) => idsOf(signalRows(ctx), { org_id: orgId, ts }, { ts: 1 }, limit),
        (ids) => signalRows(ctx).deleteMany({ _id: { $in: ids } }),
      );
    }),
  quarter_hours: (ctx, nowMs) => purgeQuarterHours(ctx, nowMs, rollupRows(ctx)),
  quarter_hour_totals: (ctx, nowMs) => purgeQuarterHours(ctx, nowMs, usageTotalRows(ctx)),
  events: (ctx, nowMs) => {
    const created_at = { $lt: new Date(nowMs - ctx.config.eventRetentionDays * DAY_MS) };
    return deleteAll(
      (limit) => idsOf(eventRows(ctx), { created_at }, { created_at: 1 }, limit),
      (ids) => eventRows(ctx).deleteMany({ _id: { $in: ids } }),
    );
  },
  deliveries: (ctx, nowMs) => {
    const created_at = { $lt: new Date(nowMs - ctx.config.eventRetentionDays * DAY_MS) };
    return deleteAll(
      (limit) => idsOf(deliveryRows(ctx), { created_at }, { created_at: 1 }, limit),
      (ids) => deliveryRows(ctx).deleteMany({ _id: { $in: ids } }),
    );
  },
  unfinished_deliveries: (ctx, nowMs) => purgeUnfinished(ctx, nowMs - ctx.config.eventRetentionDays * DAY_MS),
  idempotency_records: (ctx, nowMs) => {
    const expires_at = { $lt: new Date(nowMs) };
    return deleteAll(
      (limit) => idsOf(idempotencyRecordRows(ctx), { expires_at }, { expires_at: 1 }, limit),
      (ids) => idempotencyRecordRows(ctx).deleteMany({ _id: { $in: ids } }),
    );
  },
  audit: (ctx, nowMs) => {
    const at = { $lt: new Date(nowMs - ctx.config.auditRetentionDays * DAY_MS) };
    return deleteAll(
      (limit) => idsOf(auditRows(ctx), { at }, { at: 1 }, limit),
      (ids) => auditRows(ctx).deleteMany({ _id: { $in: ids } }),
    );
  },
};

/** Deletes what is older than its retention (design 10), in bounded batches. Repeating it changes nothing. */
export async function purge(ctx: Context): Promise<Record<string, number>> {
  const nowMs = ctx.clock.now();
  const gone: Record<string, number> = {};
  for (const [name, run] of Object.entries(PURGES)) {
    gone[name] = await run(ctx, nowMs);
    if (gone[name] > 0) purgedRows(ctx).inc({ kind: name }, gone[name]);
  }
  return gone;
}

/** Held ones by their place in the order of events, those that nobody could attempt by when they were due. */
async function purgeUnfinished(ctx: Context, beforeMs: number): Promise<number> {
  const queued = queuedDeliveryRows(ctx);
  let gone = 0;
  for (const [state, before] of [
    ['held', beforeMs * POSITIONS_PER_MS],
    ['pending', beforeMs],
  ] as const)
    gone += await deleteAll(
      (limit) => idsOf(queued, { state, at: { $lt: before } }, { at: 1 }, limit),
      (ids) => queued.deleteMany({ _id: { $in: ids } }),
    );
  return gone;
}

function purgeQuarterHours(
  ctx: Context,
  nowMs: number,
  rows: { deleteMany(filter: object): Promise<{ deletedCount: number }> },
): Promise<number> {
  return eachOrganization(ctx, (orgId) => {
    const start = { $lt: new Date(nowMs - SIGNAL_AGE_MS.behind - QUARTER_HOUR_SLACK_MS) };
    const old = { org_id: orgId, period: 'quarter_hour' as const, start };
    return deleteAll(
      (limit) => idsOf(rows, old, { start: 1 }, limit),
      (ids) => rows.deleteMany({ _id: { $in: ids } }),
    );
  });
}

async function eachOrganization(ctx: Context, work: (orgId: string) => Promise<number>): Promise<number> {
  let gone = 0;
  for await (const { _id } of organizationRows(ctx).find({}, { projection: { _id: 1 } })) {
    gone += await work(_id);
  }
  return gone;
}

interface Finder {
  find(
    filter: object,
    options: object,
  ): {
    sort(sort: Record<string, 1>): { limit(limit: number): { toArray(): Promise<{ _id: string }[]> } };
  };
}

/** The ids of the oldest rows that match. */
async function idsOf(
  collection: unknown,
  filter: object,
  sort: Record<string, 1>,
  limit: number,
): Promise<string[]> {
  const finder = collection as Finder;
  const rows = await finder
    .find(filter, { projection: { _id: 1 } })
    .sort(sort)
    .limit(limit)
    .toArray();
  return rows.map((row) => row._id);
}

async function deleteAll(
  find: (limit: number) => Promise<string[]>,
  remove: (ids: string[]) => Promise<{ deletedCount: number }>,
): Promise<number> {
  let gone = 0;
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    const ids = await find(BATCH_ROWS);
    if (ids.length === 0) return gone;
    gone += (await remove(ids)).deletedCount;
  }
  return gone;
}
