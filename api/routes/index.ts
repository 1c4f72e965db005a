import type { ApiState } from '../app.ts';
import type { AnyRoute } from '../route.ts';
import { changeBudgetRoute } from './change-budget.ts';
import { closeSessionRoute } from './close-session.ts';
import { createBudgetRoute } from './create-budget.ts';
import { getBudget } from './get-budget.ts';
import { getHealth } from './get-health.ts';
import { getMetrics } from './get-metrics.ts';
import { getReadiness } from './get-readiness.ts';
import { getSession } from './get-session.ts';
import { listAnomalies } from './list-anomalies.ts';
import { listBudgets } from './list-budgets.ts';
import { listInterventions } from './list-interventions.ts';
import { listSessions } from './list-sessions.ts';
import { postSignals } from './post-signals.ts';
import { removeBudgetRoute } from './remove-budget.ts';

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
    listAnomalies,
    getHealth,
    getReadiness(state),
    getMetrics,
  ];
}
