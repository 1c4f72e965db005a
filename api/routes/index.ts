import type { ApiState } from '../app.ts';
import type { AnyRoute } from '../route.ts';
import { closeSessionRoute } from './close-session.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { getHealth } from './get-health.ts';
import { getMetrics } from './get-metrics.ts';
import { getReadiness } from './get-readiness.ts';
import { getSession } from './get-session.ts';
import { listInterventions } from './list-interventions.ts';
import { listSessions } from './list-sessions.ts';
import { listWebhookDeliveries } from './list-webhook-deliveries.ts';
import { listWebhooksRoute } from './list-webhooks.ts';
import { postSignals } from './post-signals.ts';
import { postWebhook } from './post-webhook.ts';
import { postWebhookTest } from './post-webhook-test.ts';
import { redeliverWebhook } from './redeliver-webhook.ts';

/** Every endpoint, in reading order. */
export function routes(state: ApiState): readonly AnyRoute[] {
  return [
    postSignals,
    listSessions,
    getSession,
    listInterventions,
    closeSessionRoute,
    postWebhook,
    listWebhooksRoute,
    postWebhookTest,
    deleteWebhook,
    listWebhookDeliveries,
    redeliverWebhook,
    getHealth,
    getReadiness(state),
    getMetrics,
  ];
}
