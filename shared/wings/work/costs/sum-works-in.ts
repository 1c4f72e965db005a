import type { ClientSession } from 'mongoose';
import type { Organization } from '../../../core/accounts/organizations/model.ts';
import { createPeriodStarts } from '../../../core/calls/usage/calendar.ts';
import { addSums, isZero, noSums } from '../../../core/calls/usage/measures.ts';
import { exactParts } from '../../../core/calls/usage/range.ts';
import { readRollups } from '../../../core/calls/usage/read-rollups.ts';
import { dateAt } from '../../../platform/basics/clock.ts';
import type { Context } from '../../../platform/context/context.ts';
import type { CallTime } from './sum-sessions.ts';
import type { WorkSums } from './sum-works.ts';

/** The sums of works in a time by user and day. Sums of nothing are left out. Throws `invalid_request` as `exactParts` does. */
export async function sumWorksIn(
  ctx: Context,
  organization: Organization,
  { userId, calls: { fromMs, toMs } }: { userId: string | null; calls: CallTime },
  transaction: ClientSession,
): Promise<WorkSums[]> {
  const parts = exactParts(organization, [fromMs, toMs], ctx.clock.now());
  const match = userId === null ? {} : { user_id: userId };
  const columns = ['work', 'user_id', 'start'] as const;
  const found = new Map<string, WorkSums>();
  const startsAt = createPeriodStarts(organization);
  for (const part of parts) {
    for await (const { startMs, cell } of readRollups(
      ctx,
      organization._id,
      { part, match, columns },
      transaction,
    )) {
      const { work = '', user_id = '' } = cell;
      if (work === '') continue;
      const { day } = startsAt(startMs);
      const key = JSON.stringify([work, user_id, day]);
      const row = found.get(key) ?? { work, user_id, start: dateAt(day), sums: noSums() };
      addSums(row.sums, cell, part.sign);
      found.set(key, row);
    }
  }
  return [...found.values()].filter(({ sums }) => !isZero(sums));
}
