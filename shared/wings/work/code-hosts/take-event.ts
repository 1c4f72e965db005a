import { decryptSecret } from '../../../core/events/webhooks/endpoints/encrypt-secret.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import { DomainError } from '../../../platform/basics/errors.ts';
import { parseJsonBytes, requireUtf8 } from '../../../platform/basics/parse-json.ts';
import type { Context } from '../../../platform/context/context.ts';
import type { ReportOutcome } from '../pull-requests/decide.ts';
import { type ReadHeader, refuseProof } from './events/prove.ts';
import { readEvent } from './events/read-event.ts';
import { codeHostEvents } from './metrics.ts';
import { type CodeHost, codeHostRows } from './model.ts';
import { recordReport } from './record-report.ts';

/** The outcome of an event. `ignored`: it reports no pull request. */
export const EVENT_OUTCOMES = ['applied', 'repeated', 'stale', 'ignored'] as const satisfies readonly (
  | ReportOutcome
  | 'ignored'
)[];
export type EventOutcome = (typeof EVENT_OUTCOMES)[number];

/**
 * Takes an event that a code host has signed. Throws `not_found` for an unknown code host, `invalid_signature`, and for signed
 * bytes as `parseJsonBytes`.
 */
export async function takeEvent(
  ctx: Context,
  hostId: string,
  { header, body }: { header: ReadHeader; body: Uint8Array },
): Promise<EventOutcome> {
  const host = await codeHostRows(ctx).findOne({ _id: hostId });
  if (!host) throw new DomainError('not_found', 'There is no such code host.');
  const nowMs = ctx.clock.now();
  const secret = decryptSecret(ctx.config, hostId, host.secret);
  const why = refuseProof(host.provider, header, body, { secret, nowMs });
  if (why !== null) throw new DomainError('invalid_signature', why);
  await codeHostRows(ctx).updateOne({ _id: hostId }, { $max: { last_event_at: dateAt(nowMs) } });
  const outcome = await record(ctx, host, header, body);
  codeHostEvents(ctx).inc({ provider: host.provider, outcome });
  return outcome;
}

async function record(
  ctx: Context,
  { provider, org_id }: CodeHost,
  header: ReadHeader,
  body: Uint8Array,
): Promise<EventOutcome> {
  requireUtf8(body);
  const report = readEvent(provider, header, parseJsonBytes(body), ctx.clock.now());
  if (!report) return 'ignored';
  return (await recordReport(ctx, org_id, report, { signed: true })).outcome;
}
