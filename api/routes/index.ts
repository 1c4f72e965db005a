import type { AnyRoute, ApiState } from '../route.ts';
import { approveDevice } from './approve-device.ts';
import { changeBudgetRoute } from './change-budget.ts';
import { changeMemberRoute } from './change-member.ts';
import { changeOrganizationRoute } from './change-organization.ts';
import { changeWebhookRoute } from './change-webhook.ts';
import { closeSessionRoute } from './close-session.ts';
import { consume } from './consume.ts';
import { createBudgetRoute } from './create-budget.ts';
import { createKeyRoute } from './create-key.ts';
import { createMember } from './create-member.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { denyDevice } from './deny-device.ts';
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
import { getOrganization } from './get-organization.ts';
import { getReadiness } from './get-readiness.ts';
import { getSession } from './get-session.ts';
import { getUsage } from './get-usage.ts';
import { getWebhook } from './get-webhook.ts';
import { getWebhookDelivery } from './get-webhook-delivery.ts';
import { listAnomalies } from './list-anomalies.ts';
import { listAuditRoute } from './list-audit.ts';
import { listBudgetEventsRoute } from './list-budget-events.ts';
import { listBudgetWindows } from './list-budget-windows.ts';
import { listBudgets } from './list-budgets.ts';
import { listDevices } from './list-devices.ts';
import { listInterventions } from './list-interventions.ts';
import { listKeysRoute } from './list-keys.ts';
import { listMembersRoute } from './list-members.ts';
import { listSessions } from './list-sessions.ts';
import { listWebhookDeliveries } from './list-webhook-deliveries.ts';
import { listWebhooksRoute } from './list-webhooks.ts';
import { lookUpDevice } from './look-up-device.ts';
import { postAdminCredits } from './post-admin-credits.ts';
import { postDeviceAuthorization } from './post-device-authorization.ts';
import { postSignals } from './post-signals.ts';
import { postToken } from './post-token.ts';
import { postWebhook } from './post-webhook.ts';
import { postWebhookTest } from './post-webhook-test.ts';
import { recoverWebhook } from './recover-webhook.ts';
import { redeliverWebhook } from './redeliver-webhook.ts';
import { removeBudgetRoute } from './remove-budget.ts';
import { removeMemberRoute } from './remove-member.ts';
import { revokeDeviceRoute } from './revoke-device.ts';
import { revokeKeyRoute } from './revoke-key.ts';
import { rotateKeyRoute } from './rotate-key.ts';

/** Every endpoint, in reading order. */
export function routes(state: ApiState): readonly AnyRoute[] {
  return [
    postSignals,
    listSessions,
    getSession,
    listInterventions,
    closeSessionRoute,
    createBudgetRoute,
    listBudgets,
    getBudget,
    changeBudgetRoute,
    removeBudgetRoute,
    listBudgetEventsRoute,
    listBudgetWindows,
    listAnomalies,
    consume,
    getLedger,
    getBalance,
    getJwks,
    listDevices,
    revokeDeviceRoute,
    postDeviceAuthorization,
    lookUpDevice,
    approveDevice,
    denyDevice,
    postToken,
    postAdminCredits,
    getUsage,
    exportUsageRoute,
    getOrgUsage,
    getOrgAnalytics,
    postWebhook,
    listWebhooksRoute,
    postWebhookTest,
    getWebhook,
    changeWebhookRoute,
    deleteWebhook,
    listWebhookDeliveries,
    getWebhookDelivery,
    redeliverWebhook,
    recoverWebhook,
    enableWebhook,
    listMembersRoute,
    createMember,
    changeMemberRoute,
    removeMemberRoute,
    listKeysRoute,
    createKeyRoute,
    rotateKeyRoute,
    revokeKeyRoute,
    getOrganization,
    changeOrganizationRoute,
    listAuditRoute,
    getHealth,
    getReadiness(state),
    getMetrics,
  ];
}
