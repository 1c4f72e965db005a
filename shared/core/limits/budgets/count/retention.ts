import { keptForDays, type RetentionRule } from '../../../../platform/mongo/retention.ts';
import { budgetWindowRows, personWindowRows, WINDOW_KEPT_DAYS } from '../rules/counted.ts';
import { foldMonths } from './fold-months.ts';

const expired = keptForDays('budget_windows', budgetWindowRows, 'window_end', WINDOW_KEPT_DAYS, {
  isPerOrganization: true,
});

/** Monthly windows are folded before any window is deleted: where folding fails, all of them stay. */
export const budgetWindowRetention: RetentionRule = {
  ...expired,
  purge: async (ctx, nowMs, orgId) => {
    if (orgId !== undefined) await foldMonths(ctx, orgId, nowMs);
    return expired.purge(ctx, nowMs, orgId);
  },
};

/** Windows of people are not folded: each goes with its age. */
export const personWindowRetention = keptForDays(
  'person_windows',
  personWindowRows,
  'window_end',
  WINDOW_KEPT_DAYS,
  { isPerOrganization: true },
);
