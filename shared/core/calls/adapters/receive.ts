import { batches } from '../../../platform/basics/in-batches.ts';
import type { Context } from '../../../platform/context/context.ts';
import { boundedCache } from '../../../platform/context/per-context.ts';
import { releaseReservation } from '../../limits/enforcement/reserve/release.ts';
import { recordSignals } from '../ingest/record-signals.ts';
import type { Sender } from '../signals/check-signal.ts';
import { withDecoded } from './decode.ts';
import { nameUser, openDirectory } from './directory.ts';
import type { OtlpBody } from './otlp/read-records.ts';
import { unpackBatches } from './pack-request.ts';

/** The answer to the sender: how many records were refused, and why, or a warning; no message when all is well. */
export interface OtlpOutcome {
  rejected: number;
  message: string;
}

/** Characters of a message that an answer may hold. */
const MESSAGE_LENGTH = 500;
const MOST_REASONS = 5;

/**
 * Records what an OTLP request holds, 1,000 signals at a time, then releases the reservations of calls that were not made.
 * Throws `UnreadableOtlp`, `overloaded`, or a store's error: the same request again counts nothing twice.
 */
export async function receiveOtlp(ctx: Context, sender: Sender, request: OtlpBody): Promise<OtlpOutcome> {
  return withDecoded(ctx, sender.orgId, request, async (decoded) => {
    const { summary } = decoded;
    const reasons = new Set(summary.reasons);
    let rejected = summary.rejected;
    let held = 0;
    for (const batch of unpackBatches(decoded)) {
      const directory = await openDirectory(ctx, sender);
      const named = batch.map((signal) => nameUser(signal, directory));
      for (const result of await recordSignals(ctx, sender, named, { isTelemetry: true })) {
        if (result.status === 'held') held += 1;
        if (result.status !== 'rejected') continue;
        rejected += 1;
        if (reasons.size < MOST_REASONS) reasons.add(`${result.code}: ${result.detail}`);
      }
    }
    await releaseAll(ctx, sender, summary.releases);
    // One record may give two signals.
    const refused = Math.min(rejected, summary.records);
    return { rejected: refused, message: messageOf({ ...summary, held }, refused, reasons) };
  });
}

/** Releases that are sent to Redis together. */
const RELEASES_AT_ONCE = 100;

/** Releases the reservations of calls that were not made. A bound key releases those of its own user. */
async function releaseAll(ctx: Context, { orgId, boundUserId }: Sender, ids: readonly string[]) {
  for await (const some of batches(ids, RELEASES_AT_ONCE))
    await Promise.all(some.map((id) => releaseReservation(ctx, orgId, id, boundUserId)));
}

function messageOf(
  { records, known, held }: { records: number; known: number; held: number },
  rejected: number,
  reasons: ReadonlySet<string>,
): string {
  const waiting = held > 0 ? [`held ${held} of ${records} until an admin decides`] : [];
  const refused = rejected > 0 ? [`rejected ${rejected} of ${records}: ${[...reasons].join('; ')}`] : [];
  const message = [...waiting, ...refused].join('; ').slice(0, MESSAGE_LENGTH);
  return records > 0 && known === 0 && message === ''
    ? `counted 0 of ${records}: no record that we know`
    : message;
}

/** True also where another process has the logs of the key. */
const LOGS_COUNT = 'metrics are not counted, logs are: they need OTEL_LOGS_EXPORTER=otlp';

const keysWithLogs = boundedCache<string, true>({ max: 100_000 });

export function noteLogs(ctx: Context, keyId: string): void {
  keysWithLogs(ctx).set(keyId, true);
}

/** Takes metrics and drops them. Warns a key that sends Claude Code's without logs. Throws `UnreadableOtlp`, `overloaded`. */
export async function dropMetrics(
  ctx: Context,
  { orgId, keyId }: { orgId: string; keyId: string },
  request: Omit<OtlpBody, 'kind'>,
): Promise<OtlpOutcome> {
  return withDecoded(ctx, orgId, { ...request, kind: 'metrics' }, async ({ summary }) => {
    const isLost = summary.hasClaudeCodeMetrics && keysWithLogs(ctx).get(keyId) === undefined;
    return { rejected: 0, message: isLost ? LOGS_COUNT : '' };
  });
}
