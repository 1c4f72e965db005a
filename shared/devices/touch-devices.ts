import type { Context } from '../platform/context/context.ts';
import { perContext } from '../platform/context/per-context.ts';
import { deviceRows } from './model.ts';

/** A device is written at most once in this time. */
const RESOLUTION_MS = 60_000;
const MOST_KNOWN = 100_000;
const lastWritten = perContext(() => new Map<string, number>());

/**
 * Records when devices were last seen: `last_seen_at` only ever moves forward, and for each device at most once a
 * minute. Repeating it changes nothing.
 */
export async function touchDevices(
  ctx: Context,
  entries: readonly { device_id: string; at_ms: number }[],
): Promise<void> {
  const written = lastWritten(ctx);
  if (written.size > MOST_KNOWN) written.clear();
  const due = new Map<string, number>();
  for (const { device_id, at_ms } of entries) {
    const last = written.get(device_id);
    if (last !== undefined && at_ms - last < RESOLUTION_MS) continue;
    due.set(device_id, Math.max(at_ms, due.get(device_id) ?? 0));
  }
  if (due.size === 0) return;
  await deviceRows(ctx).bulkWrite(
    [...due].map(([device_id, at_ms]) => ({
      updateOne: { filter: { _id: device_id }, update: { $max: { last_seen_at: new Date(at_ms) } } },
    })),
    { ordered: false },
  );
  for (const [device_id, at_ms] of due) written.set(device_id, at_ms);
}
