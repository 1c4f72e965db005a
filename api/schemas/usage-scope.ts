import type { z } from 'zod';
import { listedSessionView } from '../../shared/core/calls/sessions/view.ts';
import { isVisible } from '../../shared/core/limits/budgets/rules/visible.ts';
import { unpricedModels } from '../../shared/core/limits/budgets/show/read-unpriced.ts';
import { type PersonView, personView } from '../../shared/core/limits/enforcement/reserve/show-people.ts';
import { reservedBudgetView } from '../../shared/core/limits/enforcement/reserve/show-reserved.ts';
import type { ApiKeyPrincipal } from '../basics/route.ts';

const BUDGET_USAGE = {
  current: true,
  remaining: true,
  reserved: true,
  utilization_pct: true,
  state: true,
  refuses_now: true,
  forecast: true,
  unpriced_signals: true,
  unpriced_models: true,
  top_user_id: true,
  people: true,
  last_evaluated_at: true,
} as const;

const PERSON_USAGE = {
  current: true,
  remaining: true,
  reserved: true,
  utilization_pct: true,
  state: true,
  refuses_now: true,
} as const;

const SESSION_USAGE = {
  started_at: true,
  last_activity_at: true,
  duration_s: true,
  model: true,
  models: true,
  tokens_in: true,
  tokens_out: true,
  cost_usd: true,
  signal_count: true,
  error_count: true,
  anomaly_types: true,
  intervention_count: true,
  unpriced_signals: true,
} as const;

/** A budget with its usage, its reservations and its calls without a price. */
export const shownBudgetView = reservedBudgetView.extend({ unpriced_models: unpricedModels });
export type ShownBudgetView = z.output<typeof shownBudgetView>;

/** The answer of a change of a budget or session. Only keys that may read usage get the members that report it. */
export const writtenBudget = shownBudgetView.partial(BUDGET_USAGE);
export const writtenPerson = personView.partial(PERSON_USAGE);
export const writtenSession = listedSessionView.partial(SESSION_USAGE);

/** The answer of a write route, without the members that this key may not read. */
export function writtenBudgetFor(key: ApiKeyPrincipal, budget: ShownBudgetView) {
  return isVisible(key, budget) ? budget : without(BUDGET_USAGE, budget);
}

export function writtenPersonFor(key: ApiKeyPrincipal, person: PersonView) {
  return key.scopes.includes('usage:read') ? person : without(PERSON_USAGE, person);
}

/** The same for a session. */
export function writtenSessionFor(key: ApiKeyPrincipal, session: typeof listedSessionView._zod.output) {
  return key.scopes.includes('usage:read') ? session : without(SESSION_USAGE, session);
}

function without<View extends object, Name extends keyof View>(
  names: Record<Name, true>,
  view: View,
): Omit<View, Name> & Partial<Pick<View, Name>> {
  const shown = Object.entries(view).filter(([name]) => !Object.hasOwn(names, name));
  return Object.fromEntries(shown) as Omit<View, Name> & Partial<Pick<View, Name>>;
}
