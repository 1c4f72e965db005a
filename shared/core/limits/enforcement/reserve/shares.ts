import type { Context } from '../../../../platform/context/context.ts';
import { boundedCache } from '../../../../platform/context/per-context.ts';
import { recordAct } from '../../../accounts/audit/record-audit.ts';
import type { OpenBudget } from '../state/budget-status.ts';

/** A share is never less: one call should fit into it. */
const LEAST_SHARE_NUSD = 1e9;

/**
 * How much of a budget one person may hold by reservations of bound keys, in nano-USD. Null: all of it, because the budget
 * counts one person alone. Pure.
 */
export function shareOf({ budget, current }: Pick<OpenBudget, 'budget' | 'current'>): number | null {
  if (budget.scope === 'user') return null;
  const left = Math.max(0, budget.limit - current);
  const pct = budget.reservation_share_pct;
  // In two steps, because the product of the whole would not be an exact integer.
  const share = Math.floor(left / 100) * pct + Math.floor(((left % 100) * pct) / 100);
  return Math.max(share, LEAST_SHARE_NUSD);
}

/** A person who was refused because of their share of a budget, and the amount that the person holds of it. */
export interface FullShare {
  orgId: string;
  budgetId: string;
  userId: string;
  keyId: string;
  heldNusd: number;
}

const HOUR_MS = 3_600_000;

/** Entries that this process has recorded, or is about to. */
const noted = boundedCache<string, true>({ max: 10_000 });

/** Records in the audit log that a person has filled the share of a budget: once per hour. The answer does not wait for it. */
export function noteFullShare(ctx: Context, { orgId, budgetId, userId, keyId, heldNusd }: FullShare): void {
  const cause = [budgetId, userId, String(Math.floor(ctx.clock.now() / HOUR_MS))];
  const name = JSON.stringify(cause);
  if (noted(ctx).get(name)) return;
  noted(ctx).set(name, true);
  const details = { budget_id: budgetId, user_id: userId, key_id: keyId, held_usd: heldNusd / 1e9 };
  recordAct(ctx, { action: 'budget.share_reached', org_id: orgId, details }, cause).catch(
    (error: unknown) => {
      noted(ctx).delete(name);
      ctx.log.warn({ err: error }, 'a full share was not recorded; the next refusal records it');
    },
  );
}
