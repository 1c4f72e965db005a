import { counter, histogram } from '../../platform/basics/metrics.ts';

export const webhookAttempts = counter({
  name: 'governor_webhook_attempts_total',
  help: 'Webhook attempts by outcome, failed ones by error class.',
  labelNames: ['outcome', 'error'],
});

export const firstAttemptSeconds = histogram({
  name: 'governor_webhook_first_attempt_seconds',
  help: 'From the event to the begin of its first attempt.',
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
});

export const retryLatenessSeconds = histogram({
  name: 'governor_webhook_retry_lateness_seconds',
  help: 'How late a retry began.',
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
});
