import type { ClientSession } from 'mongoose';
import type { Organization } from '../../../../core/accounts/organizations/model.ts';
import type { Context } from '../../../../platform/context/context.ts';
import type { Claim } from '../../../../platform/due/claim-due.ts';
import { dueRows } from '../../../../platform/due/model.ts';
import { ExportFailure, RunLost } from '../failures.ts';
import { type Destination, destinationRows, type ExportRun } from '../model.ts';
import type { DueRun, RestOfRun } from '../schedule.ts';
import type { ObjectStore } from '../stores/store.ts';

/** A run as its worker has it. */
export interface Running {
  claim: Claim<DueRun>;
  destination: Destination;
  organization: Organization;
  run: ExportRun;
  /** Null at its begin. */
  rest: RestOfRun | null;
}

/** A run with the place that it writes to and the folder that it makes files in. */
export interface Writing extends Running {
  store: ObjectStore;
  folder: string;
}

/**
 * Throws `RunLost` when another worker has claimed the run, or the destination is gone, and `stale` when it was changed. Within a
 * transaction no write of it is made then.
 */
export async function confirmRun(
  ctx: Context,
  { claim, destination }: Pick<Running, 'claim' | 'destination'>,
  transaction?: ClientSession,
): Promise<Destination> {
  const options = transaction ? { session: transaction } : {};
  const due = await dueRows(ctx).findOne({ _id: claim._id }, options);
  if (due?.claim_id !== claim.claim_id) throw new RunLost('another worker has claimed the run');
  const now = await destinationRows(ctx).findOne({ _id: destination._id }, options);
  if (now === null) throw new RunLost('the destination is gone');
  if (now.revision !== destination.revision) throw new ExportFailure('stale', 'the destination was changed');
  return now;
}
