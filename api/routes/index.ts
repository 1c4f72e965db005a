import type { AnyRoute, ApiState } from '../basics/route.ts';
import { getOrgAnalytics } from '../wings/analytics/get-org-analytics.ts';
import { listAnomalies } from '../wings/anomalies/list-anomalies.ts';
import { getPreferences } from '../wings/digests/get-preferences.ts';
import { sendDigest } from '../wings/digests/send-digest.ts';
import { updatePreferences } from '../wings/digests/update-preferences.ts';
import { describeExport } from '../wings/exports/describe-export.ts';
import { exportAudit } from '../wings/exports/export-audit.ts';
import { exportUsage } from '../wings/exports/export-usage.ts';
import { discardHeldSignals } from '../wings/held/discard-held-signals.ts';
import { listHeldSignals } from '../wings/held/list-held-signals.ts';
import { releaseHeldSignals } from '../wings/held/release-held-signals.ts';
import { beginCheckout } from '../wings/purchases/begin-checkout.ts';
import { getCheckout } from '../wings/purchases/get-checkout.ts';
import { getCreditPrice } from '../wings/purchases/get-credit-price.ts';
import { takeStripeEvent } from '../wings/purchases/take-stripe-event.ts';
import { createDestination } from '../wings/push/create-destination.ts';
import { deleteDestination } from '../wings/push/delete-destination.ts';
import { getDestination } from '../wings/push/get-destination.ts';
import { getExportRun } from '../wings/push/get-export-run.ts';
import { listDestinations } from '../wings/push/list-destinations.ts';
import { listExportPartitions } from '../wings/push/list-export-partitions.ts';
import { listExportRuns } from '../wings/push/list-export-runs.ts';
import { runDestination } from '../wings/push/run-destination.ts';
import { testDestination } from '../wings/push/test-destination.ts';
import { updateDestination } from '../wings/push/update-destination.ts';
import { approveRaise } from '../wings/raises/approve-raise.ts';
import { askForOwnRaise } from '../wings/raises/ask-for-own-raise.ts';
import { askForRaise } from '../wings/raises/ask-for-raise.ts';
import { denyRaise } from '../wings/raises/deny-raise.ts';
import { getOwnRaise } from '../wings/raises/get-own-raise.ts';
import { getRaise } from '../wings/raises/get-raise.ts';
import { listOwnRaises } from '../wings/raises/list-own-raises.ts';
import { listRaises } from '../wings/raises/list-raises.ts';
import { revokeRaise } from '../wings/raises/revoke-raise.ts';
import { withdrawOwnRaise } from '../wings/raises/withdraw-own-raise.ts';
import { withdrawRaise } from '../wings/raises/withdraw-raise.ts';
import { search } from '../wings/search/search.ts';
import { addCodeHost } from '../wings/work/add-code-host.ts';
import { deleteCodeHost } from '../wings/work/delete-code-host.ts';
import { deletePullRequest } from '../wings/work/delete-pull-request.ts';
import { getPullRequest } from '../wings/work/get-pull-request.ts';
import { listCodeHosts } from '../wings/work/list-code-hosts.ts';
import { listPullRequests } from '../wings/work/list-pull-requests.ts';
import { recordContexts } from '../wings/work/record-contexts.ts';
import { reportPullRequest } from '../wings/work/report-pull-request.ts';
import { summarizePullRequests } from '../wings/work/summarize-pull-requests.ts';
import { takeCodeHostEvent } from '../wings/work/take-code-host-event.ts';
import { approveDevice } from './approve-device.ts';
import { askGate } from './ask-gate.ts';
import { breakDownSession } from './break-down-session.ts';
import { callMcp } from './call-mcp.ts';
import { checkBudgets } from './check-budgets.ts';
import { closeSession } from './close-session.ts';
import { consume } from './consume.ts';
import { createBudget } from './create-budget.ts';
import { createInvitations } from './create-invitations.ts';
import { createKey } from './create-key.ts';
import { createMember } from './create-member.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteBudget } from './delete-budget.ts';
import { deleteMember } from './delete-member.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { denyDevice } from './deny-device.ts';
import { enableWebhook } from './enable-webhook.ts';
import { getBalance } from './get-balance.ts';
import { getBudget } from './get-budget.ts';
import { getBudgetUsage } from './get-budget-usage.ts';
import { getDelivery } from './get-delivery.ts';
import { getHealth } from './get-health.ts';
import { getJwks } from './get-jwks.ts';
import { getKeyOrganization } from './get-key-organization.ts';
import { getLedger } from './get-ledger.ts';
import { getMetrics } from './get-metrics.ts';
import { getOrgUsage } from './get-org-usage.ts';
import { getOrganization } from './get-organization.ts';
import { getOwnBudget } from './get-own-budget.ts';
import { getMcpProtectedResource, getProtectedResource } from './get-protected-resource.ts';
import { getReadiness } from './get-readiness.ts';
import { getSession } from './get-session.ts';
import { getUsage } from './get-usage.ts';
import { getWebhook } from './get-webhook.ts';
import { grantCredits } from './grant-credits.ts';
import { hookClaudeCode } from './hook-claude-code.ts';
import { listAudit } from './list-audit.ts';
import { listBalances } from './list-balances.ts';
import { listBudgetEvents } from './list-budget-events.ts';
import { listBudgetPeople } from './list-budget-people.ts';
import { listBudgetWindows } from './list-budget-windows.ts';
import { listBudgets } from './list-budgets.ts';
import { listDevices } from './list-devices.ts';
import { listInterventions } from './list-interventions.ts';
import { listKeys } from './list-keys.ts';
import { listMembers } from './list-members.ts';
import { listSessions } from './list-sessions.ts';
import { listWebhookDeliveries } from './list-webhook-deliveries.ts';
import { listWebhooks } from './list-webhooks.ts';
import { lookUpDevice } from './look-up-device.ts';
import { otlpLogs } from './otlp-logs.ts';
import { otlpMetrics } from './otlp-metrics.ts';
import { otlpTraces } from './otlp-traces.ts';
import { previewBudget } from './preview-budget.ts';
import { previewMessage } from './preview-message.ts';
import { recordSignals } from './record-signals.ts';
import { recoverDeliveries } from './recover-deliveries.ts';
import { redeemGrant } from './redeem-grant.ts';
import { redeliver } from './redeliver.ts';
import { releaseBudget } from './release-budget.ts';
import { releaseReservations } from './release-reservations.ts';
import { removeBudgetPerson } from './remove-budget-person.ts';
import { reserveBudget } from './reserve-budget.ts';
import { revokeDevice } from './revoke-device.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { setBudgetPerson } from './set-budget-person.ts';
import { startLinking } from './start-linking.ts';
import { testWebhook } from './test-webhook.ts';
import { askToUnsubscribe, unsubscribe } from './unsubscribe.ts';
import { updateBudget } from './update-budget.ts';
import { updateMember } from './update-member.ts';
import { updateOrganization } from './update-organization.ts';
import { updateWebhook } from './update-webhook.ts';
import { voidSignals } from './void-signals.ts';

/** Every endpoint, in reading order. */
export function routes(state: ApiState): readonly AnyRoute[] {
  return [
    recordSignals,
    recordContexts,
    otlpLogs,
    otlpTraces,
    otlpMetrics,
    listHeldSignals,
    releaseHeldSignals,
    discardHeldSignals,
    listSessions,
    getSession,
    breakDownSession,
    listInterventions,
    closeSession,
    voidSignals,
    reportPullRequest,
    listPullRequests,
    summarizePullRequests,
    getPullRequest,
    deletePullRequest,
    createBudget,
    previewBudget,
    listBudgets,
    getBudget,
    updateBudget,
    deleteBudget,
    listBudgetEvents,
    listBudgetWindows,
    listBudgetPeople,
    setBudgetPerson,
    removeBudgetPerson,
    getBudgetUsage,
    checkBudgets,
    reserveBudget,
    releaseBudget,
    releaseReservations,
    getOwnBudget,
    hookClaudeCode,
    askGate,
    askForRaise,
    listRaises,
    getRaise,
    withdrawRaise,
    askForOwnRaise,
    listOwnRaises,
    getOwnRaise,
    withdrawOwnRaise,
    approveRaise,
    denyRaise,
    revokeRaise,
    listAnomalies,
    consume,
    getLedger,
    getBalance,
    listBalances,
    getCreditPrice,
    beginCheckout,
    getCheckout,
    takeStripeEvent,
    getJwks,
    listDevices,
    revokeDevice,
    startLinking,
    lookUpDevice,
    approveDevice,
    denyDevice,
    redeemGrant,
    grantCredits,
    getKeyOrganization,
    search,
    getUsage,
    exportUsage,
    describeExport,
    createDestination,
    listDestinations,
    getDestination,
    updateDestination,
    deleteDestination,
    testDestination,
    runDestination,
    listExportRuns,
    getExportRun,
    listExportPartitions,
    getOrgUsage,
    getOrgAnalytics,
    callMcp,
    getProtectedResource,
    getMcpProtectedResource,
    createWebhook,
    listWebhooks,
    testWebhook,
    previewMessage,
    getWebhook,
    updateWebhook,
    deleteWebhook,
    listWebhookDeliveries,
    getDelivery,
    redeliver,
    recoverDeliveries,
    enableWebhook,
    askToUnsubscribe,
    unsubscribe,
    listMembers,
    createMember,
    createInvitations,
    updateMember,
    deleteMember,
    getPreferences,
    updatePreferences,
    sendDigest,
    listKeys,
    createKey,
    rotateKey,
    revokeKey,
    getOrganization,
    updateOrganization,
    addCodeHost,
    listCodeHosts,
    deleteCodeHost,
    takeCodeHostEvent,
    listAudit,
    exportAudit,
    getHealth,
    getReadiness(state),
    getMetrics,
  ];
}
