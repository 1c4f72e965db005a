import { auditWrite } from '../../../core/accounts/audit/record-audit.ts';
import { forEachOrganization } from '../../../core/accounts/organizations/for-each-organization.ts';
import { type Organization, organizationRows } from '../../../core/accounts/organizations/model.ts';
import { readOrganization } from '../../../core/accounts/organizations/read-organization.ts';
import { earliestCountedMs } from '../../../core/calls/usage/calendar.ts';
import { dayAt, dayBefore, daysDescending } from '../../../platform/basics/utc-days.ts';
import { commitPlan } from '../../../platform/context/commit-plan.ts';
import type { Context } from '../../../platform/context/context.ts';
import { updateRow } from '../../../platform/mongo/writes.ts';
import { keptSinceMs } from '../../exports/focus/export-focus.ts';
import { closeDay } from './close-day.ts';
import { readClosed } from './closed-rows.ts';
import { addMonths, closeDayOf, lastDueMonth, monthOf, startOfMonth } from './months.ts';

/** Closes the months of every organization that are due. One that fails is left for the next run. Returns how many were closed. */
export async function closeAllMonths(ctx: Context): Promise<number> {
  let closed = 0;
  await forEachOrganization(ctx, 'months of FOCUS files were not closed', async (organization) => {
    closed += (await closeMonths(ctx, organization)).length;
  });
  return closed;
}

/**
 * Closes the months of an organization that are due, oldest first; the first time all that it has had. The rows of each day are
 * kept, and so are the corrections of days that were closed before. A worker that is killed on the way is followed by one that
 * goes on where it was. Returns the months that were closed.
 */
export async function closeMonths(ctx: Context, organization: Organization): Promise<string[]> {
  const { _id: orgId, focus_closed_through: through } = organization;
  const first = dayAt(earliestCountedMs(organization.created_at.getTime()));
  const last = lastDueMonth(closeDayOf(organization), ctx.clock.now());
  const months: string[] = [];
  let month = through === undefined ? monthOf(first) : addMonths(through, 1);
  // Days before a first closing have no corrections, nor have those that could no longer change when the last month was closed.
  const changedSince = dayAt(Math.max(earliestCountedMs(startOfMonth(month)), keptSinceMs(ctx)));
  let correctedSince = through === undefined ? null : later(first, changedSince);
  for (; month <= last; month = addMonths(month, 1)) {
    await closeDays(ctx, organization, month, correctedSince);
    if (await recordClose(ctx, orgId, month)) months.push(month);
    correctedSince = null;
  }
  return months;
}

/** Closes the days of a month, newest first, and the corrections of the days since then, where there are any. */
async function closeDays(
  ctx: Context,
  organization: Organization,
  month: string,
  correctedSince: string | null,
): Promise<void> {
  const [begin, end] = [`${month}-01`, dayBefore(`${addMonths(month, 1)}-01`)];
  const since = correctedSince !== null && correctedSince < begin ? correctedSince : begin;
  const closed = await readClosed(ctx, organization._id, since, end);
  for (const day of daysDescending(since, end))
    await closeDay(ctx, { organization, day, closed: closed.get(day) ?? [] }, month);
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

/** Records that a month is closed. Returns false where another worker has. */
async function recordClose(ctx: Context, orgId: string, month: string): Promise<boolean> {
  return commitPlan(ctx, async (transaction) => {
    const { focus_closed_through: through } = await readOrganization(ctx, orgId, transaction);
    if (through !== undefined && through >= month) return { result: false };
    const writes = [
      updateRow(organizationRows, { _id: orgId }, { $set: { focus_closed_through: month } }),
      auditWrite(ctx, { action: 'focus.close', org_id: orgId, details: { month } }),
    ];
    return { writes, result: true };
  });
}
