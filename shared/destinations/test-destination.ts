import { recordAct } from '../audit/record-audit.ts';
import type { Context } from '../platform/context/context.ts';
import { ExportFailure, type FailureCode } from './failures.ts';
import { type Destination, destinationRows } from './model.ts';
import { takePlace } from './runs/place.ts';
import { openStore } from './stores/open-store.ts';

/** The longest that a test may take. Milliseconds. */
const LONGEST_MS = 20_000;

export interface TestResult {
  ok: boolean;
  code: FailureCode | null;
  detail: string | null;
  conditional_writes: boolean | null;
}

/**
 * Tries a place: takes the prefix by the marker, lists it, and looks whether a second marker is refused, which the destination
 * shows from then on. Writes nothing else.
 */
export async function testDestination(ctx: Context, destination: Destination): Promise<TestResult> {
  const { _id, org_id, name, kind, prefix, revision } = destination;
  const details = { destination_id: _id, name, kind };
  await recordAct(ctx, { action: 'destination.test', org_id, details });
  try {
    const store = openStore(ctx, destination, AbortSignal.timeout(LONGEST_MS));
    const conditional_writes = await takePlace(ctx, store, destination);
    await store.list(`${prefix}/`);
    // A change of the destination since then may have been one of its place.
    await destinationRows(ctx).updateOne({ _id, revision }, { $set: { conditional_writes } });
    return { ok: true, code: null, detail: null, conditional_writes };
  } catch (error) {
    if (!(error instanceof ExportFailure)) throw error;
    return { ok: false, code: error.code, detail: error.message, conditional_writes: null };
  }
}
