import { boundedCache } from '../../platform/context/cache.ts';
import type { Context } from '../../platform/context/context.ts';
import { deviceTokenRows } from '../model.ts';
import type { ShardBatch } from './write-batches.ts';

/** A device is written at most once in this time. */
const RESOLUTION_MS = 60_000;
const lastWritten = boundedCache<string, number>({ max: 100_000 });

/** Remembers when devices last spent. It is a courtesy: that it fails never stops the ledger. */
export async function rememberDevices(ctx: Context, batches: readonly ShardBatch[]): Promise<void> {
  const rows = batches.flatMap((batch) => batch.entries.flatMap((entry) => entry.rows));
  const seen = rows.flatMap(({ device_id, created_at }) =>
    device_id === undefined ? [] : [{ device_id, at_ms: created_at * 1_000 }],
  );
  await touchDevices(ctx, seen).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'when devices were last seen was not kept'),
  );
}

/**
 * Records when devices were last seen: `last_seen_at` only ever moves forward, and for each device at most once per
 * minute. Repeating it changes nothing.
 */
export async function touchDevices(
  ctx: Context,
  sightings: readonly { device_id: string; at_ms: number }[],
): Promise<void> {
  const written = lastWritten(ctx);
  const due = new Map<string, number>();
  for (const { device_id, at_ms } of sightings) {
    const last = written.get(device_id);
    if (last !== undefined && at_ms - last < RESOLUTION_MS) continue;
    due.set(device_id, Math.max(at_ms, due.get(device_id) ?? 0));
  }
  if (due.size === 0) return;
  await deviceTokenRows(ctx).bulkWrite(
    [...due].map(([device_id, at_ms]) => ({
      updateOne: { filter: { _id: device_id }, update: { $max: { last_seen_at: new Date(at_ms) } } },
    })),
    { ordered: false },
  );
  for (const [device_id, at_ms] of due) written.set(device_id, at_ms);
}
