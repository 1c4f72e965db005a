import { recordSignals } from '../ingest/record-signals.ts';
import type { Context } from '../platform/context/context.ts';
import type { Sender } from '../signals/check-signal.ts';
import { type OtlpBody, withDecoded } from './decode.ts';
import { openDirectory } from './directory.ts';
import { nameUser } from './name-user.ts';

/** What the sender is told: how many records were refused, and why, or a warning; no message when all is well. */
export interface OtlpOutcome {
  rejected: number;
  message: string;
}

/** Characters of a message that an answer may hold. */
const MESSAGE_LENGTH = 500;
const MOST_REASONS = 5;

/** Records what an OTLP request holds, 1,000 signals at a time. Throws `UnreadableOtlp`, `overloaded`, or a store's error. */
export async function receiveOtlp(ctx: Context, sender: Sender, request: OtlpBody): Promise<OtlpOutcome> {
  return withDecoded(ctx, sender.orgId, request, async ({ summary, nextBatch }) => {
    const reasons = new Set(summary.reasons);
    let rejected = summary.rejected;
    for (let batch = await nextBatch(); batch.length > 0; batch = await nextBatch()) {
      const directory = await openDirectory(ctx, sender);
      const named = batch.map((signal) => nameUser(signal, directory));
      for (const result of await recordSignals(ctx, sender, named)) {
        if (result.status !== 'rejected') continue;
        rejected += 1;
        if (reasons.size < MOST_REASONS) reasons.add(`${result.code}: ${result.detail}`);
      }
    }
    // One record may give two signals.
    const refused = Math.min(rejected, summary.records);
    return { rejected: refused, message: messageOf(summary, refused, reasons) };
  });
}

function messageOf(
  { records, known }: { records: number; known: number },
  rejected: number,
  reasons: ReadonlySet<string>,
): string {
  if (rejected > 0)
    return `rejected ${rejected} of ${records}: ${[...reasons].join('; ')}`.slice(0, MESSAGE_LENGTH);
  return records > 0 && known === 0 ? `counted 0 of ${records}: no record that we know` : '';
}
