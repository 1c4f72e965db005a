import { settingsOf } from '../../shared/core/accounts/organizations/settings.ts';
import type { AnyRoute, ApiState } from '../basics/route.ts';
import { API_WINGS } from '../wings/index.ts';
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
import { getUsageChanges } from './get-usage-changes.ts';
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

/** Every endpoint, in reading order: those of the core, each followed by the sections of wings that say so. */
export function routes(state: ApiState): readonly AnyRoute[] {
  const sections = API_WINGS.flatMap((wing) => wing.sections);
  const named = Map.groupBy(sections, ({ after }) => after);
  return coreRoutes(state).flatMap((route) => {
    const following = named.get(`${route.method.toUpperCase()} ${route.path}`) ?? [];
    return [route, ...following.flatMap((section) => section.routes)];
  });
}

function coreRoutes(state: ApiState): readonly AnyRoute[] {
  const settings = settingsOf({ wings: API_WINGS });
  return [
    recordSignals,
    otlpLogs,
    otlpTraces,
    otlpMetrics,
    listSessions,
    getSession,
    breakDownSession,
    listInterventions,
    closeSession,
    voidSignals,
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
    consume,
    getLedger,
    getBalance,
    listBalances,
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
    getUsage,
    getUsageChanges,
    getOrgUsage,
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
    listKeys,
    createKey,
    rotateKey,
    revokeKey,
    getOrganization(settings),
    updateOrganization(settings),
    listAudit,
    getHealth,
    getReadiness(state),
    getMetrics,
  ];
}
