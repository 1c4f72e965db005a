import { auditWrite } from '../../core/accounts/audit/record-audit.ts';
import { type Budget, type BudgetRaise, budgetRows } from '../../core/limits/budgets/rules/model.ts';
import { planRuleChange } from '../../core/limits/budgets/rules/plan-evaluation.ts';
import { dateAt, isoTime } from '../../platform/basics/clock.ts';
import { CLOSED_WINDOW_FIRES_MS } from '../../platform/basics/contract.ts';
import { joinPlans, type Plan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import { clearDue, setDue } from '../../platform/due/plan-due.ts';
import { deleteRows, insertRow, updateRow, type Write } from '../../platform/mongo/writes.ts';
import { amountFrom } from './amounts.ts';
import { endRaiseJob } from './jobs.ts';
import { type Raise, raiseRows } from './model.ts';

/** Notes are kept for so long after the answer. Milliseconds. */
export const NOTES_KEPT_MS = 90 * 86_400_000;

/** The acts on a raise, as the audit log names them. */
type Act = 'approve' | 'deny' | 'withdraw' | 'revoke' | 'expire' | 'end';

/**
 * The plan of a raise in another state: its row, what is due for it, and the line in the audit log, without notes. One that is
 * approved is due again when it ends.
 */
export function planState(ctx: Context, raise: Raise, act: Act): Plan {
  const { pending_for: _, ...row } = raise;
  const { _id, org_id, state, ends_at } = row;
  const due =
    state === 'approved' && ends_at
      ? setDue(endRaiseJob, { key: _id, orgId: org_id, dueMs: ends_at.getTime() })
      : { writes: [clearDue(endRaiseJob, _id)], wakeUps: [] };
  // Not an update: the unique index of the embedded store keeps what an update leaves (docs/stores.md).
  const moved = [deleteRows(raiseRows, { _id }), insertRow(raiseRows, row)];
  const writes = [...moved, auditRaise(ctx, raise, act)];
  return joinPlans({ writes }, due);
}

/** The line of a raise in the audit log: ids, amounts and times. */
export function auditRaise(ctx: Context, raise: Raise, act: Act | 'ask'): Write {
  const { _id, org_id, user_id, budget_id, metric, amount, granted, duration_s, ends_at } = raise;
  const details = {
    raise_id: _id,
    budget_id,
    user_id,
    metric,
    amount: amountFrom(metric, amount),
    ...(duration_s === null ? {} : { duration_s }),
    ...(granted === null ? {} : { granted_amount: amountFrom(metric, granted) }),
    ...(ends_at === null ? {} : { ends_at: isoTime(ends_at.getTime()) }),
  };
  return auditWrite(ctx, { action: `raise.${act}`, org_id, details });
}

/**
 * The plan that adds raises to their budget, or ends them there, when each `ends_at` says. Every process that decides reads
 * the budget again, and the levels are evaluated. All that a transaction changes in a budget is one plan: each writes the
 * whole list.
 */
export function planInForce(ctx: Context, budget: Budget, raises: readonly Raise[]): Plan {
  const nowMs = ctx.clock.now();
  const changed = new Set(raises.map(({ _id }) => _id));
  const known = budget.raises ?? [];
  const others = known.filter(
    ({ raise_id, ends_at }) =>
      !changed.has(raise_id) && ends_at.getTime() > nowMs - 2 * CLOSED_WINDOW_FIRES_MS,
  );
  const entries = raises.map(
    ({ _id, user_id, granted, ends_at }): BudgetRaise => ({
      raise_id: _id,
      ...(budget.per ? { user_id } : {}),
      amount: granted ?? 0,
      starts_at: known.find(({ raise_id }) => raise_id === _id)?.starts_at ?? dateAt(nowMs),
      ends_at: ends_at ?? dateAt(nowMs),
    }),
  );
  const write = updateRow(budgetRows, { _id: budget._id }, { $set: { raises: [...others, ...entries] } });
  return joinPlans(planRuleChange(budget.org_id, nowMs), { writes: [write] });
}
