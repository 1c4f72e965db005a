import { recordAct } from '../../../core/accounts/audit/record-audit.ts';
import type { Context } from '../../../platform/context/context.ts';
import { perContext } from '../../../platform/context/per-context.ts';
import { ExportFailure, type FailureCode } from './failures.ts';
import { type Destination, destinationRows } from './model.ts';
import { takePlace } from './runs/place.ts';
import { openStore } from './stores/open-store.ts';

/** The longest that a test may take. Milliseconds. */
const LONGEST_MS = 20_000;

/** The end of the last test of each organization that has one under way. */
const testing = perContext(() => new Map<string, Promise<unknown>>());

export interface TestResult {
  ok: boolean;
  code: FailureCode | null;
  detail: string | null;
  conditional_writes: boolean | null;
}

/**
 * Tries a place: takes the prefix by the marker, lists it, and looks whether a second marker is refused, which the destination
 * shows from then on. Writes nothing else. An organization has one test under way at a time in a process: another waits for it,
 * within its 20 seconds.
 */
export async function testDestination(ctx: Context, destination: Destination): Promise<TestResult> {
  const { org_id } = destination;
  const signal = AbortSignal.timeout(LONGEST_MS);
  const before = testing(ctx).get(org_id) ?? Promise.resolve();
  const test = before.then(() => tryPlace(ctx, destination, signal));
  const ended = test.catch(() => undefined);
  testing(ctx).set(org_id, ended);
  try {
    return await test;
  } finally {
    if (testing(ctx).get(org_id) === ended) testing(ctx).delete(org_id);
  }
}

async function tryPlace(ctx: Context, destination: Destination, signal: AbortSignal): Promise<TestResult> {
  const { _id, org_id, name, kind, prefix, revision } = destination;
  const details = { destination_id: _id, name, kind };
  await recordAct(ctx, { action: 'destination.test', org_id, details });
  try {
    const store = openStore(ctx, destination, signal);
    const conditional_writes = await takePlace(ctx, store, destination);
    await store.list(`${prefix}/`, { isTry: true });
    // A change of the destination since then may have been one of its place.
    await destinationRows(ctx).updateOne({ _id, revision }, { $set: { conditional_writes } });
    return { ok: true, code: null, detail: null, conditional_writes };
  } catch (error) {
    if (!(error instanceof ExportFailure)) throw error;
    return { ok: false, code: error.code, detail: error.message, conditional_writes: null };
  }
}
