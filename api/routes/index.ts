import type { AnyRoute, ApiState } from '../basics/route.ts';
import { addCodeHost } from './add-code-host.ts';
import { approveDevice } from './approve-device.ts';
import { approveRaise } from './approve-raise.ts';
import { askForOwnRaise } from './ask-for-own-raise.ts';
import { askForRaise } from './ask-for-raise.ts';
import { askGate } from './ask-gate.ts';
import { beginCheckout } from './begin-checkout.ts';
import { breakDownSession } from './break-down-session.ts';
import { callMcp } from './call-mcp.ts';
import { checkBudgets } from './check-budgets.ts';
import { closeSession } from './close-session.ts';
import { consume } from './consume.ts';
import { createBudget } from './create-budget.ts';
import { createDestination } from './create-destination.ts';
import { createInvitations } from './create-invitations.ts';
import { createKey } from './create-key.ts';
import { createMember } from './create-member.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteBudget } from './delete-budget.ts';
import { deleteCodeHost } from './delete-code-host.ts';
import { deleteDestination } from './delete-destination.ts';
import { deleteMember } from './delete-member.ts';
import { deletePullRequest } from './delete-pull-request.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { denyDevice } from './deny-device.ts';
import { denyRaise } from './deny-raise.ts';
import { describeExport } from './describe-export.ts';
import { discardHeldSignals } from './discard-held-signals.ts';
import { enableWebhook } from './enable-webhook.ts';
import { exportAudit } from './export-audit.ts';
import { exportUsage } from './export-usage.ts';
import { getBalance } from './get-balance.ts';
import { getBudget } from './get-budget.ts';
import { getBudgetUsage } from './get-budget-usage.ts';
import { getCheckout } from './get-checkout.ts';
import { getCreditPrice } from './get-credit-price.ts';
import { getDelivery } from './get-delivery.ts';
import { getDestination } from './get-destination.ts';
import { getExportRun } from './get-export-run.ts';
import { getHealth } from './get-health.ts';
import { getJwks } from './get-jwks.ts';
import { getKeyOrganization } from './get-key-organization.ts';
import { getLedger } from './get-ledger.ts';
import { getMetrics } from './get-metrics.ts';
import { getOrgAnalytics } from './get-org-analytics.ts';
import { getOrgUsage } from './get-org-usage.ts';
import { getOrganization } from './get-organization.ts';
import { getOwnBudget } from './get-own-budget.ts';
import { getOwnRaise } from './get-own-raise.ts';
import { getPreferences } from './get-preferences.ts';
import { getMcpProtectedResource, getProtectedResource } from './get-protected-resource.ts';
import { getPullRequest } from './get-pull-request.ts';
import { getRaise } from './get-raise.ts';
import { getReadiness } from './get-readiness.ts';
import { getSession } from './get-session.ts';
import { getUsage } from './get-usage.ts';
import { getWebhook } from './get-webhook.ts';
import { grantCredits } from './grant-credits.ts';
import { hookClaudeCode } from './hook-claude-code.ts';
import { listAnomalies } from './list-anomalies.ts';
import { listAudit } from './list-audit.ts';
import { listBalances } from './list-balances.ts';
import { listBudgetEvents } from './list-budget-events.ts';
import { listBudgetPeople } from './list-budget-people.ts';
import { listBudgetWindows } from './list-budget-windows.ts';
import { listBudgets } from './list-budgets.ts';
import { listCodeHosts } from './list-code-hosts.ts';
import { listDestinations } from './list-destinations.ts';
import { listDevices } from './list-devices.ts';
import { listExportPartitions } from './list-export-partitions.ts';
import { listExportRuns } from './list-export-runs.ts';
import { listHeldSignals } from './list-held-signals.ts';
import { listInterventions } from './list-interventions.ts';
import { listKeys } from './list-keys.ts';
import { listMembers } from './list-members.ts';
import { listOwnRaises } from './list-own-raises.ts';
import { listPullRequests } from './list-pull-requests.ts';
import { listRaises } from './list-raises.ts';
import { listSessions } from './list-sessions.ts';
import { listWebhookDeliveries } from './list-webhook-deliveries.ts';
import { listWebhooks } from './list-webhooks.ts';
import { lookUpDevice } from './look-up-device.ts';
import { otlpLogs } from './otlp-logs.ts';
import { otlpMetrics } from './otlp-metrics.ts';
import { otlpTraces } from './otlp-traces.ts';
import { previewBudget } from './preview-budget.ts';
import { previewMessage } from './preview-message.ts';
import { recordContexts } from './record-contexts.ts';
import { recordSignals } from './record-signals.ts';
import { recoverDeliveries } from './recover-deliveries.ts';
import { redeemGrant } from './redeem-grant.ts';
import { redeliver } from './redeliver.ts';
import { releaseBudget } from './release-budget.ts';
import { releaseHeldSignals } from './release-held-signals.ts';
import { releaseReservations } from './release-reservations.ts';
import { removeBudgetPerson } from './remove-budget-person.ts';
import { reportPullRequest } from './report-pull-request.ts';
import { reserveBudget } from './reserve-budget.ts';
import { revokeDevice } from './revoke-device.ts';
import { revokeKey } from './revoke-key.ts';
import { revokeRaise } from './revoke-raise.ts';
import { rotateKey } from './rotate-key.ts';
import { runDestination } from './run-destination.ts';
import { search } from './search.ts';
import { sendDigest } from './send-digest.ts';
import { setBudgetPerson } from './set-budget-person.ts';
import { startLinking } from './start-linking.ts';
import { summarizePullRequests } from './summarize-pull-requests.ts';
import { takeCodeHostEvent } from './take-code-host-event.ts';
import { takeStripeEvent } from './take-stripe-event.ts';
import { testDestination } from './test-destination.ts';
import { testWebhook } from './test-webhook.ts';
import { askToUnsubscribe, unsubscribe } from './unsubscribe.ts';
import { updateBudget } from './update-budget.ts';
import { updateDestination } from './update-destination.ts';
import { updateMember } from './update-member.ts';
import { updateOrganization } from './update-organization.ts';
import { updatePreferences } from './update-preferences.ts';
import { updateWebhook } from './update-webhook.ts';
import { voidSignals } from './void-signals.ts';
import { withdrawOwnRaise } from './withdraw-own-raise.ts';
import { withdrawRaise } from './withdraw-raise.ts';

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
