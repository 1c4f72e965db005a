import { keptForDays } from '../../../../platform/mongo/retention.ts';
import { budgetWindowRows, personWindowRows, WINDOW_KEPT_DAYS } from '../rules/counted.ts';
import { counterKey } from '../rules/keys.ts';
import { budgetRows } from '../rules/model.ts';

/** Months and quarters stay as long as a budget counts them: the list of a budget's windows reaches back to its first. */
export const budgetWindowRetention = keptForDays(
  'budget_windows',
  budgetWindowRows,
  'window_end',
  WINDOW_KEPT_DAYS,
  {
    isPerOrganization: true,
    except: {
      words: 'those of months and quarters as long as a budget counts them',
      filter: async (ctx, org_id) => {
        const long = { org_id, window: { $in: ['monthly', 'quarterly'] as const } };
        const budgets = await budgetRows(ctx).find(long).toArray();
        return { counter: { $nin: [...new Set(budgets.map(counterKey))] } };
      },
    },
  },
);

/** Windows of people go with their age, months too. */
export const personWindowRetention = keptForDays(
  'person_windows',
  personWindowRows,
  'window_end',
  WINDOW_KEPT_DAYS,
  { isPerOrganization: true },
);
