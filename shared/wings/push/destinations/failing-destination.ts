import type { FailingKind } from '../../../core/events/webhooks/endpoints/alert-failing.ts';
import { mailAdmins } from '../../../core/events/webhooks/endpoints/mail-admins.ts';
import { oneLine, unlinked } from '../../../core/events/webhooks/messages/text.ts';
import { isoTime } from '../../../platform/basics/clock.ts';
import { baseUrl } from '../../../platform/basics/config.ts';
import { sayMoment } from '../../../platform/basics/say-moment.ts';
import type { Context } from '../../../platform/context/context.ts';
import { FAILURES } from './failures.ts';
import { alertDestinationJob } from './jobs.ts';
import { type Destination, destinationRows } from './model.ts';

/** Characters of a name. */
const NAME = 80;

export const failingDestination: FailingKind<Destination> = {
  job: alertDestinationJob,
  rows: destinationRows,
  told: 'mailed_at',
  isWanted: ({ enabled, failing_since, mailed_at }) =>
    enabled && failing_since !== null && mailed_at === null,
  mail,
};

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
  return date ? sayMoment(isoTime(date.getTime())) : 'now';
}
