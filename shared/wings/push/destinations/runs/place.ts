import { z } from 'zod';
import type { Context } from '../../../../platform/context/context.ts';
import { ExportFailure } from '../failures.ts';
import { type Destination, destinationRows } from '../model.ts';
import type { ObjectStore } from '../stores/store.ts';

/** A marker is two ids. */
const MARKER_BYTES = 65_536;

const marker = z.object({ org_id: z.string(), destination_id: z.string() });

/**
 * Takes a prefix for a destination by a marker, before anything else is written. Returns whether the place refuses a write whose
 * condition does not hold. Throws `prefix_in_use` for the marker of another one, unless that one was deleted.
 */
export async function takePlace(
  ctx: Context,
  store: ObjectStore,
  destination: Destination,
): Promise<boolean> {
  const key = `${destination.prefix}/_governor.json`;
  const text = JSON.stringify({ org_id: destination.org_id, destination_id: destination._id });
  // A server that ignores conditions would write over the marker of another one.
  const there = await store.read(key, MARKER_BYTES);
  if (there !== null && !(await mayReplace(ctx, there.text, destination)))
    throw new ExportFailure('prefix_in_use');
  if (there?.text !== text) {
    await store.putText(key, text, there === null ? 'absent' : { etag: there.etag });
    if ((await store.read(key, MARKER_BYTES))?.text !== text) throw new ExportFailure('prefix_in_use');
  }
  return store.refusesWrites ?? (await store.putText(key, text, 'absent')) === null;
}

/**
 * Returns true for a marker or a manifest that this destination may replace: its own, and that of a destination of the same
 * organization that was deleted.
 */
export async function mayReplace(
  ctx: Context,
  text: string,
  { _id, org_id }: Pick<Destination, '_id' | 'org_id'>,
): Promise<boolean> {
  const { data } = marker.safeParse(parsed(text));
  if (data?.org_id !== org_id) return false;
  const { destination_id } = data;
  return destination_id === _id || (await destinationRows(ctx).findOne({ _id: destination_id })) === null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
