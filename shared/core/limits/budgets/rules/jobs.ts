import { dueJob } from '../../../../platform/due/model.ts';

/** Evaluates all budgets of an organization whose usage has changed. The key of its due rows is the organization's id. */
export const evaluateBudgetsJob = dueJob('evaluate-budgets');

/** Mails an alert to the person who owns the budget. The key of its due row names the event and the account. */
export const mailOwnerJob = dueJob('mail-budget-owner');

export interface DueEvaluation {
  /** The earliest end of a window that has changed. */
  earliest_window_end: Date;
}
