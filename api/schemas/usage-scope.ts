import { budgetView } from '../../shared/budgets/view.ts';
import { sessionView } from '../../shared/sessions/view.ts';
import type { ApiKeyPrincipal } from '../basics/route.ts';

const BUDGET_USAGE = {
  current: true,
  remaining: true,
  utilization_pct: true,
  state: true,
  forecast: true,
  unpriced_signals: true,
  last_evaluated_at: true,
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
  intervention_count: true,
  unpriced_signals: true,
} as const;

/** What a change of a budget or session answers: members that tell usage only for keys with `usage:read`. */
export const writtenBudget = budgetView.partial(BUDGET_USAGE);
export const writtenSession = sessionView.partial(SESSION_USAGE);

/** The answer of a write route, without the members that this key may not read. */
export function writtenBudgetFor(key: ApiKeyPrincipal, budget: typeof budgetView._zod.output) {
  return hidden(key, budget, BUDGET_USAGE);
}

/** The same for a session. */
export function writtenSessionFor(key: ApiKeyPrincipal, session: typeof sessionView._zod.output) {
  return hidden(key, session, SESSION_USAGE);
}

function hidden<View extends object, Name extends keyof View>(
  { scopes }: ApiKeyPrincipal,
  view: View,
  usage: Record<Name, true>,
): Omit<View, Name> & Partial<Pick<View, Name>> {
  if (scopes.includes('usage:read')) return view;
  const shown = Object.entries(view).filter(([name]) => !Object.hasOwn(usage, name));
  return Object.fromEntries(shown) as Omit<View, Name> & Partial<Pick<View, Name>>;
}
