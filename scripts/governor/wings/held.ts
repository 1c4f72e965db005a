import { organizationRows } from '../../../shared/core/accounts/organizations/model.ts';
import { dateAt } from '../../../shared/platform/basics/clock.ts';
import { heldRows } from '../../../shared/wings/held/model.ts';
import { COUNT_AT_MOST, ok, type Probed, type Service, warning } from '../basics/probe.ts';

/** Only an organization whose `held_until` is ahead can have held signals. */
export async function probeHeldSignals({ opening }: Service): Promise<Probed> {
  const ctx = await opening;
  const holding = await organizationRows(ctx)
    .find({ held_until: { $gt: dateAt(ctx.clock.now()) } }, { projection: { _id: 1 } })
    .toArray();
  const waiting = { org_id: { $in: holding.map(({ _id }) => _id) }, state: 'held' as const };
  const count = await heldRows(ctx).countDocuments(waiting, { limit: COUNT_AT_MOST });
  if (count === 0) return ok('No signal waits for a decision.');
  const number = count === COUNT_AT_MOST ? `${count} or more` : `${count}`;
  return warning(
    `${number} ${count === 1 ? 'signal waits' : 'signals wait'} for an admin to release or discard.`,
  );
}
