import { z } from 'zod';
import { BUDGET_METRICS } from '../../core/limits/budgets/rules/model.ts';
import { isVisible, type Viewer } from '../../core/limits/budgets/rules/visible.ts';
import { isoTime, unixSeconds } from '../../platform/basics/clock.ts';
import { text } from '../../platform/basics/text.ts';
import { amountFrom } from './amounts.ts';
import { RAISE_STATES, type Raise, stateAt } from './model.ts';

const LEAST_S = 60;
const MOST_S = 2_678_400;
const duration = z.int().min(LEAST_S).max(MOST_S).optional();
const note = text(500).optional();

/** A request for a raise, as posted. */
export const raiseInput = z.strictObject({
  budget_id: text(128),
  amount: z.number().positive().describe('How much more, in the unit of the budget'),
  duration_s: duration.describe("Seconds from the answer on; by default to the end of the budget's window"),
  note: note.describe('Why'),
});
export type RaiseInput = z.output<typeof raiseInput>;

/** An approval: what is left out is as it was asked for. */
export const approvalInput = z.strictObject({
  amount: z.number().positive().optional().describe('At most what was asked for'),
  duration_s: duration.describe('At most what was asked for'),
});
export type ApprovalInput = z.output<typeof approvalInput>;

export const refusalInput = z.strictObject({ note: note.describe('A word to the person') });

function viewWith<Time extends z.ZodType>(time: Time) {
  return z.strictObject({
    id: z.string(),
    budget_id: z.string(),
    budget_name: z.string().nullable().describe('Null where this credential does not see the budget'),
    user_id: z.string().describe('The person who asks'),
    metric: z.enum(BUDGET_METRICS).describe('The unit of the amounts is that of this metric'),
    amount: z.number(),
    duration_s: z.int().nullable().describe("Null: to the end of the budget's window"),
    note: z.string().nullable(),
    status: z.enum(RAISE_STATES),
    created_at: time,
    expires_at: time.describe('When it expires unless it is answered'),
    answered_at: time.nullable(),
    answered_by: z
      .string()
      .nullable()
      .describe('The account of the admin who answered last; for admins alone'),
    answer_note: z.string().nullable(),
    granted_amount: z.number().nullable(),
    ends_at: time.nullable().describe('Until when an approved raise is in force'),
  });
}

/** A raise with times in ISO 8601, as `/api/v1` shows it. */
export const raiseView = viewWith(z.string());
/** A raise with times in Unix seconds, as `/v1` shows it. */
export const ownRaiseView = viewWith(z.int());

export interface RaiseViewer extends Viewer {
  isAdmin?: boolean;
  /** Budgets that the person owns (`withOwned`). */
  owned?: ReadonlySet<string>;
}

export function viewRaise(raise: Raise, viewer: RaiseViewer, nowMs: number): z.output<typeof raiseView> {
  return view(raise, viewer, nowMs, (time) => isoTime(time.getTime()));
}

export function viewOwnRaise(
  raise: Raise,
  viewer: RaiseViewer,
  nowMs: number,
): z.output<typeof ownRaiseView> {
  return view(raise, viewer, nowMs, unixSeconds);
}

function view<Time>(raise: Raise, viewer: RaiseViewer, nowMs: number, timeOf: (time: Date) => Time) {
  const { metric, granted, answered_at, ends_at } = raise;
  return {
    id: raise._id,
    budget_id: raise.budget_id,
    budget_name: isVisible(viewer, raise) || viewer.owned?.has(raise.budget_id) ? raise.budget_name : null,
    user_id: raise.user_id,
    metric,
    amount: amountFrom(metric, raise.amount),
    duration_s: raise.duration_s,
    note: raise.note,
    status: stateAt(raise, nowMs),
    created_at: timeOf(raise.created_at),
    expires_at: timeOf(raise.expires_at),
    answered_at: answered_at && timeOf(answered_at),
    answered_by: viewer.isAdmin ? raise.answered_by : null,
    answer_note: raise.answer_note,
    granted_amount: granted === null ? null : amountFrom(metric, granted),
    ends_at: ends_at && timeOf(ends_at),
  };
}
