import { sweepDueChecks } from '../shared/anomalies/check-session.ts';
import { sweepDueBudgets } from '../shared/budgets/evaluate-due.ts';
import type { Context } from '../shared/platform/context/context.ts';
import type { QueueName } from '../shared/platform/queues/queues.ts';
import { sweepSilentSessions } from '../shared/sessions/end-session.ts';
import { sweepDeliveries, sweepWebhookTasks } from '../shared/webhooks/sweep-deliveries.ts';

/** What the sweeper looks for: things that are due without a live job. Each returns how many it woke. */
export const SWEEPS: readonly { queue: QueueName; sweep: (ctx: Context) => Promise<number> }[] = [
  { queue: 'close-session', sweep: sweepSilentSessions },
  { queue: 'evaluate-budgets', sweep: sweepDueBudgets },
  { queue: 'detect-anomalies', sweep: sweepDueChecks },
  { queue: 'deliver-webhook', sweep: sweepDeliveries },
  { queue: 'alert-admin', sweep: sweepWebhookTasks },
];

/** Jobs that repeat (BullMQ Job Schedulers); the sweeper puts the table back when Redis has lost it. */
export const SCHEDULES: readonly { queue: QueueName; everyMs: number }[] = [
  { queue: 'reconcile-credits', everyMs: 3_600_000 },
  { queue: 'expire-credits', everyMs: 600_000 },
  { queue: 'reconcile-usage', everyMs: 86_400_000 },
  { queue: 'purge', everyMs: 3_600_000 },
];
