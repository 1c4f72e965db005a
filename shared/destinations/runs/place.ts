import { z } from 'zod';
import { ExportFailure } from '../failures.ts';
import type { Destination } from '../model.ts';
import type { ObjectStore } from '../stores/store.ts';

const marker = z.object({ org_id: z.string(), destination_id: z.string() });

/**
 * Takes a prefix for a destination by a marker, before anything else is written. Returns whether the place refuses a write whose
 * condition does not hold. Throws `prefix_in_use` for the marker of another one.
 */
export async function takePlace(store: ObjectStore, { _id, org_id, prefix }: Destination): Promise<boolean> {
  const key = `${prefix}/_governor.json`;
  const text = JSON.stringify({ org_id, destination_id: _id });
  // A server that ignores conditions would write over the marker of another one.
  const there = await store.read(key);
  if (there === null) await store.putText(key, text, 'absent');
  const now = there ?? (await store.read(key));
  if (now === null || !isOwn(now.text, { _id, org_id })) throw new ExportFailure('prefix_in_use');
  return store.refusesWrites ?? (await store.putText(key, text, 'absent')) === null;
}

/** Returns true for a marker or a manifest of this destination. */
export function isOwn(text: string, { _id, org_id }: Pick<Destination, '_id' | 'org_id'>): boolean {
  const { data } = marker.safeParse(parsed(text));
  return data?.org_id === org_id && data.destination_id === _id;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
