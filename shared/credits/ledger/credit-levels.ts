import { BUCKETS, type Reason } from '../buckets.ts';
import type { PlanCredits } from '../meter/plans.ts';
import type { LedgerRow } from '../model.ts';

/** Credits of an account by bucket, in the order of `BUCKETS`. */
export type Credits = readonly number[];

/** A ledger row with the credits before and after it. */
export interface LedgerStep {
  row: LedgerRow;
  before: Credits;
  after: Credits;
}

/** Levels that the total of an account falls to, in the order in which it reaches them. */
export const CREDIT_LEVELS = ['low', 'depleted'] as const;
export type CreditLevel = (typeof CREDIT_LEVELS)[number];

/** The alerts of an account per level: true since its total fell to the level, until something lifts it above. */
export type CreditAlerts = Record<CreditLevel, boolean>;

/** Reasons that arm an alert again. A refund does not: the fall that it undoes was reported already. */
const REARMING: ReadonlySet<Reason> = new Set([
  'credit.grant',
  'credit.purchase',
  'window.reset',
  'monthly.reset',
  'credit.adjust',
]);

/** All credits together. */
export function totalOf(credits: Credits): number {
  return credits.reduce((sum, credit) => sum + credit, 0);
}

/** Totals at or below which a level is reached: a tenth of what the plan gives at once, at least 1, and 0. */
export function levelsOf({ window_credits, monthly_credits }: PlanCredits): Record<CreditLevel, number> {
  return { low: Math.max(1, Math.floor((window_credits + monthly_credits) / 10)), depleted: 0 };
}

/** True when a row takes the total over a level, up or down. */
export function crosses({ before, after }: LedgerStep, level: number): boolean {
  return totalOf(before) > level !== totalOf(after) > level;
}

/**
 * The levels that an account falls to by these rows, each with its row, and the alerts after them. A level is reported once
 * until something lifts the total above it. Pure.
 */
export function crossingsOf(
  steps: readonly LedgerStep[],
  levels: Record<CreditLevel, number>,
  known: CreditAlerts,
): { crossings: { step: LedgerStep; level: CreditLevel }[]; alerts: CreditAlerts } {
  const alerts: CreditAlerts = { ...known };
  const crossings = steps.flatMap((step) =>
    CREDIT_LEVELS.filter((level) => crosses(step, levels[level])).flatMap((level) => {
      const isFall = totalOf(step.after) <= levels[level];
      const wasAlerted = alerts[level];
      if (isFall) alerts[level] = true;
      else if (REARMING.has(step.row.reason)) alerts[level] = false;
      return isFall && !wasAlerted ? [{ step, level }] : [];
    }),
  );
  return { crossings, alerts };
}

/** The rows of one account, in their order, each with the credits before and after it. Pure. */
export function stepsOf(rows: readonly LedgerRow[]): LedgerStep[] {
  const steps: LedgerStep[] = [];
  let left: Credits | undefined;
  for (const row of rows.toReversed()) {
    const after: Credits | undefined = row.balance ?? left;
    // A release before this one wrote no balance for some of the last rows that it left.
    if (!after) continue;
    left = after.map((credits, at) => (BUCKETS[at] === row.bucket ? credits - row.delta : credits));
    steps.push({ row, before: left, after });
  }
  return steps.reverse();
}
