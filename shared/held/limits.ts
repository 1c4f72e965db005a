import { holdAboveOf } from '../organizations/hold-above.ts';
import type { Organization } from '../organizations/model.ts';
import { nusdFromUsd } from '../pricing/money.ts';
import type { Draft } from '../signals/check-signal.ts';
import type { HeldLimit } from './model.ts';

/**
 * Those of these signals that are above a limit of the organization, each with its limits. No intervention is, and none of the
 * past, which a report may have summed up. Pure.
 */
export function findAbove(
  drafts: readonly Draft[],
  organization: Pick<Organization, 'hold_above'>,
  past: ReadonlySet<Draft>,
): Map<Draft, HeldLimit[]> {
  const limits = holdAboveOf(organization);
  const mostTokens = limits.tokens ?? Number.POSITIVE_INFINITY;
  const mostNusd =
    (limits.cost_usd === null ? null : nusdFromUsd(limits.cost_usd)) ?? Number.POSITIVE_INFINITY;
  const above = new Map<Draft, HeldLimit[]>();
  for (const draft of drafts) {
    if (draft.type === 'intervention' || past.has(draft)) continue;
    const hasTokens = draft.tokens_in + draft.tokens_out > mostTokens;
    const hasCost = (draft.cost_nusd ?? 0) > mostNusd;
    if (hasTokens || hasCost)
      above.set(draft, [
        ...(hasTokens ? (['tokens'] as const) : []),
        ...(hasCost ? (['cost_usd'] as const) : []),
      ]);
  }
  return above;
}
