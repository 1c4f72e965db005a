import type { Fault } from './fault.ts';
import { ANALYTICS_FAULTS } from './faults/analytics.ts';
import { AUTH_FAULTS } from './faults/auth.ts';
import { BUDGET_FAULTS } from './faults/budgets.ts';
import { CREDIT_FAULTS } from './faults/credits.ts';
import { LIMIT_FAULTS } from './faults/limits.ts';
import { PEOPLE_FAULTS } from './faults/people.ts';
import { RAISE_FAULTS } from './faults/raises.ts';
import { SESSION_FAULTS } from './faults/sessions.ts';
import { TEMPLATE_FAULTS } from './faults/templates.ts';
import { WEBHOOK_FAULTS } from './faults/webhooks.ts';

/** Every planted fault, by the area that it harms. */
export const FAULTS: Readonly<Record<string, readonly Fault[]>> = {
  credits: CREDIT_FAULTS,
  sessions: SESSION_FAULTS,
  webhooks: WEBHOOK_FAULTS,
  auth: AUTH_FAULTS,
  analytics: ANALYTICS_FAULTS,
  budgets: BUDGET_FAULTS,
  templates: TEMPLATE_FAULTS,
  raises: RAISE_FAULTS,
  people: PEOPLE_FAULTS,
  limits: LIMIT_FAULTS,
};
