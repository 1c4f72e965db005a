import type { ApiState } from '../app.ts';
import type { AnyRoute } from '../route.ts';
import { closeSessionRoute } from './close-session.ts';
import { exportUsageRoute } from './export-usage.ts';
import { getHealth } from './get-health.ts';
import { getMetrics } from './get-metrics.ts';
import { getOrgAnalytics } from './get-org-analytics.ts';
import { getOrgUsage } from './get-org-usage.ts';
import { getReadiness } from './get-readiness.ts';
import { getSession } from './get-session.ts';
import { getUsage } from './get-usage.ts';
import { listInterventions } from './list-interventions.ts';
import { listSessions } from './list-sessions.ts';
import { postSignals } from './post-signals.ts';

/** Every endpoint, in reading order. */
export function routes(state: ApiState): readonly AnyRoute[] {
  return [
    postSignals,
    listSessions,
    getSession,
    listInterventions,
    closeSessionRoute,
    getUsage,
    exportUsageRoute,
    getOrgUsage,
    getOrgAnalytics,
    getHealth,
    getReadiness(state),
    getMetrics,
  ];
}
