import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { rollupRows } from '../../shared/core/calls/usage/model.ts';
import { ledgerRows } from '../../shared/core/credits/model.ts';
import { deliveryRows, queuedDeliveryRows } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { budgetWindowRows } from '../../shared/core/limits/budgets/rules/counted.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { type HotRead, ofNobody, since } from './basics/hot-read.ts';
import { GOVERNOR_WINGS } from './wings.ts';

export const HOT_READS: readonly HotRead[] = [
  { ...sessionRows, filter: { ...ofNobody, started_at: since }, sort: { started_at: -1, _id: -1 } },
  { ...signalRows, filter: { session_id: 'none', ...ofNobody }, sort: { ts: 1, _id: 1 } },
  { ...signalRows, filter: { work: 'none', ts: since, ...ofNobody }, sort: { ts: 1, _id: 1 } },
  { ...rollupRows, filter: { ...ofNobody, period: 'day', start: since }, sort: {} },
  { ...budgetWindowRows, filter: { ...ofNobody, window_end: since }, sort: {} },
  { ...ledgerRows, filter: { account_id: 'none' }, sort: { seq: -1 } },
  { ...dueRows, filter: { due_at: since }, sort: { due_at: 1 } },
  { ...queuedDeliveryRows, filter: { state: 'due', at: since }, sort: { at: 1 } },
  { ...deliveryRows, filter: { webhook_id: 'none', created_at: since }, sort: { created_at: -1, _id: -1 } },
  { ...auditRows, filter: { ...ofNobody, at: since }, sort: { at: -1, _id: -1 } },
  ...GOVERNOR_WINGS.flatMap(({ hotReads = [] }) => hotReads),
];

/**
 * The names of the stages of the plan that won (https://www.mongodb.com/docs/manual/reference/explain-results/); none where the answer
 * has no plan. Those of every shard, where there are several.
 */
export function stagesOf(explained: unknown): string[] {
  if (Array.isArray(explained)) return explained.flatMap(stagesOf);
  if (typeof explained !== 'object' || explained === null) return [];
  return Object.entries(explained).flatMap(([name, value]) => {
    if (name === 'stage' && typeof value === 'string') return [value];
    return name === 'rejectedPlans' ? [] : stagesOf(value);
  });
}
