import { mailAdmins } from '../../../core/events/webhooks/endpoints/mail-admins.ts';
import { oneLine, unlinked } from '../../../core/events/webhooks/messages/text.ts';
import { dateAt, isoTime } from '../../../platform/basics/clock.ts';
import { baseUrl } from '../../../platform/basics/config.ts';
import { commitPlan, NO_PLAN } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { clearDue, readDue, setDue } from '../../../platform/due/plan-due.ts';
import { updateRow } from '../../../platform/mongo/writes.ts';
import { FAILURES } from './failures.ts';
import { alertDestinationJob } from './jobs.ts';
import { type Destination, destinationRows } from './model.ts';

/** How often an unsent mail is tried again. */
const RETRY_MS = 300_000;
/** Characters of a name. */
const NAME = 80;

/**
 * Writes to an organization's admins that a destination fails: one mail until a run succeeds. Without a mail server, or an address
 * to which mail may go, it stays due for as long as the destination fails. Throws when the mail server fails.
 */
export async function alertDestination(ctx: Context, id: string): Promise<void> {
  if (!(await readDue(ctx, alertDestinationJob, id))) return;
  const destination = await destinationRows(ctx).findOne({ _id: id });
  const wasSent = destination !== null && isWanted(destination) && (await mail(ctx, destination));
  await commitPlan(ctx, async (transaction) => {
    const due = await readDue(ctx, alertDestinationJob, id, transaction);
    const now = await destinationRows(ctx).findOne({ _id: id }, { session: transaction });
    // It has succeeded meanwhile, and perhaps fails again: what is due then is another mail.
    const isAnother = now?.failing_since?.getTime() !== destination?.failing_since?.getTime();
    if (!due || isAnother) return { ...NO_PLAN, result: undefined };
    if (now && isWanted(now) && !wasSent) {
      const dueMs = ctx.clock.now() + RETRY_MS;
      return { ...setDue(alertDestinationJob, { key: id, orgId: due.org_id, dueMs }), result: undefined };
    }
    const mailed_at = dateAt(ctx.clock.now());
    const mailed = wasSent ? [updateRow(destinationRows, { _id: id }, { $set: { mailed_at } })] : [];
    return { writes: [clearDue(alertDestinationJob, id), ...mailed], wakeUps: [], result: undefined };
  });
}

function isWanted({ enabled, failing_since, mailed_at }: Destination): boolean {
  return enabled && failing_since !== null && mailed_at === null;
}

async function mail(ctx: Context, destination: Destination): Promise<boolean> {
  const { _id, org_id } = destination;
  const { sent, admins } = await mailAdmins(ctx, org_id, {
    subject: `The export to “${nameOf(destination)}” fails`,
    text: textOf(destination, baseUrl(ctx.config)),
  });
  ctx.log.warn({ destination_id: _id, org_id, admins, mail: sent }, 'an export destination fails');
  return sent;
}

function textOf(destination: Destination, ownUrl: string): string {
  const { _id, code, failing_since, last_success_at } = destination;
  return [
    `The export to “${nameOf(destination)}” (${_id}) fails since ${timeOf(failing_since)}: ${code ?? 'unexpected'}.`,
    FAILURES[code ?? 'unexpected'],
    last_success_at === null
      ? 'No run has succeeded yet.'
      : `The last run that succeeded was at ${timeOf(last_success_at)}.`,
    '',
    'Nothing is lost: the days that are missing are written by the next run that succeeds.',
    'Change the destination in the dashboard, or run it again there:',
    `  ${ownUrl}/dashboard/export/${_id}`,
  ].join('\n');
}

function nameOf({ name }: Destination): string {
  return unlinked(oneLine(name, NAME));
}

function timeOf(date: Date | null): string {
  return date ? isoTime(date.getTime()) : 'now';
}
