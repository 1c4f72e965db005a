import { daysBefore, type RetentionRule, retentionRule } from '../platform/mongo/retention.ts';
import { foldMonths } from './fold-months.ts';
import { budgetWindowRows, personWindowRows, WINDOW_KEPT_DAYS } from './model.ts';

const expired = retentionRule('budget_windows', budgetWindowRows, {
  isPerOrganization: true,
  old: (_config, nowMs) => ({
    filter: { window_end: { $lt: daysBefore(nowMs, WINDOW_KEPT_DAYS) } },
    ageField: 'window_end',
  }),
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
export const personWindowRetention: RetentionRule = retentionRule('person_windows', personWindowRows, {
  isPerOrganization: true,
  old: (_config, nowMs) => ({
    filter: { window_end: { $lt: daysBefore(nowMs, WINDOW_KEPT_DAYS) } },
    ageField: 'window_end',
  }),
});
