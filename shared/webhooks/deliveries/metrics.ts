import { gauge } from '../../platform/basics/metrics.ts';

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
