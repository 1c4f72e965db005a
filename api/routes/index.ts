import type { AnyRoute, ApiState } from '../route.ts';
import { approveDevice } from './approve-device.ts';
import { changeBudgetRoute } from './change-budget.ts';
import { closeSessionRoute } from './close-session.ts';
import { consume } from './consume.ts';
import { createBudgetRoute } from './create-budget.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { enableWebhook } from './enable-webhook.ts';
import { exportUsageRoute } from './export-usage.ts';
import { getBalance } from './get-balance.ts';
import { getBudget } from './get-budget.ts';
import { getHealth } from './get-health.ts';
import { getJwks } from './get-jwks.ts';
import { getLedger } from './get-ledger.ts';
import { getMetrics } from './get-metrics.ts';
import { getOrgAnalytics } from './get-org-analytics.ts';
import { getOrgUsage } from './get-org-usage.ts';
import { getReadiness } from './get-readiness.ts';
import { getSession } from './get-session.ts';
import { getUsage } from './get-usage.ts';
import { listAnomalies } from './list-anomalies.ts';
import { listBudgets } from './list-budgets.ts';
import { listDevices } from './list-devices.ts';
import { listInterventions } from './list-interventions.ts';
import { listSessions } from './list-sessions.ts';
import { listWebhookDeliveries } from './list-webhook-deliveries.ts';
import { listWebhooksRoute } from './list-webhooks.ts';
import { otlpLogs } from './otlp-logs.ts';
import { otlpMetrics } from './otlp-metrics.ts';
import { otlpTraces } from './otlp-traces.ts';
import { postAdminCredits } from './post-admin-credits.ts';
import { postDeviceAuthorization } from './post-device-authorization.ts';
import { postSignals } from './post-signals.ts';
import { postToken } from './post-token.ts';
import { postWebhook } from './post-webhook.ts';
import { postWebhookTest } from './post-webhook-test.ts';
import { redeliverWebhook } from './redeliver-webhook.ts';
import { removeBudgetRoute } from './remove-budget.ts';
import { revokeDeviceRoute } from './revoke-device.ts';

/** Every endpoint, in reading order. */
export function routes(state: ApiState): readonly AnyRoute[] {
  return [
    postSignals,
    otlpLogs,
    otlpTraces,
    otlpMetrics,
    listSessions,
    getSession,
    listInterventions,
    closeSessionRoute,
    createBudgetRoute,
    listBudgets,
    getBudget,
    changeBudgetRoute,
    removeBudgetRoute,
    listAnomalies,
    consume,
    getLedger,
    getBalance,
    getJwks,
    listDevices,
    revokeDeviceRoute,
    postDeviceAuthorization,
    approveDevice,
    postToken,
    postAdminCredits,
    getUsage,
    exportUsageRoute,
    getOrgUsage,
    getOrgAnalytics,
    postWebhook,
    listWebhooksRoute,
    postWebhookTest,
    deleteWebhook,
    listWebhookDeliveries,
    redeliverWebhook,
    enableWebhook,
    getHealth,
    getReadiness(state),
    getMetrics,
  ];
}
