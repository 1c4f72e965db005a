import type { ClientSession } from 'mongoose';
import type { Session } from '../../core/calls/sessions/model.ts';
import { hashedKey } from '../../platform/basics/ids.ts';
import type { Context } from '../../platform/context/context.ts';
import { findByIds } from '../../platform/mongo/find-by-ids.ts';
import type { FoundAnomaly } from './detect.ts';
import { type Anomaly, type Expectation, type ExpectedOf, expectationRows } from './model.ts';

export function expectationKey(
  {
    org_id,
    anomaly_type,
    user_id,
    session_id,
  }: Pick<Anomaly, 'org_id' | 'anomaly_type' | 'user_id' | 'session_id'>,
  of: ExpectedOf,
): string {
  return hashedKey(18, org_id, anomaly_type, of, of === 'person' ? user_id : session_id);
}

/** When the expectation of each kind that is expected now ends, for a session and its person. */
export async function findExpected(
  ctx: Context,
  session: Pick<Session, '_id' | 'org_id' | 'user_id'>,
  found: readonly FoundAnomaly[],
  transaction: ClientSession,
): Promise<ReadonlyMap<FoundAnomaly['anomaly_type'], Date>> {
  const { _id: session_id, org_id, user_id } = session;
  const keys = found.flatMap(({ anomaly_type }) =>
    (['person', 'session'] as const).map((of) =>
      expectationKey({ org_id, anomaly_type, user_id, session_id }, of),
    ),
  );
  const rows = await findByIds(expectationRows(ctx), keys, transaction);
  const nowMs = ctx.clock.now();
  const inForce = rows.filter(({ until }) => until.getTime() > nowMs);
  return latest(inForce);
}

function latest(rows: readonly Expectation[]): Map<Anomaly['anomaly_type'], Date> {
  const ends = new Map<Anomaly['anomaly_type'], Date>();
  for (const { anomaly_type, until } of rows) {
    const known = ends.get(anomaly_type);
    if (!known || known < until) ends.set(anomaly_type, until);
  }
  return ends;
}
