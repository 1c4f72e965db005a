import { counter, gauge, histogram } from '../../../../platform/basics/metrics.ts';

const LATENESS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];

export const webhookAttempts = counter({
  name: 'governor_webhook_attempts_total',
  help: 'Webhook attempts by outcome, failed ones by error class.',
  labelNames: ['outcome', 'error'],
});

export const firstAttemptSeconds = histogram({
  name: 'governor_webhook_first_attempt_seconds',
  help: 'From the event to the begin of its first attempt.',
  buckets: LATENESS_S,
});

export const retryLatenessSeconds = histogram({
  name: 'governor_webhook_retry_lateness_seconds',
  help: 'How late a retry began.',
  buckets: LATENESS_S,
});

export const heldDeliveries = gauge({
  name: 'governor_webhook_deliveries_held',
  help: 'Deliveries that wait for their webhook to be enabled again, or of mails for room within the hour.',
});

export const failingWebhooks = gauge({
  name: 'governor_webhooks_failing',
  help: 'Webhooks that are paused after five failed attempts.',
});

export const unsentAlerts = gauge({
  name: 'governor_webhook_alerts_unsent',
  help: 'Failing webhooks whose admins were not told: there is no mail server, no address, or the mail fails.',
});
