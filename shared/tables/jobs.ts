import * as devices from '../core/accounts/devices/jobs.ts';
import * as keys from '../core/accounts/keys/jobs.ts';
import * as sessions from '../core/calls/sessions/jobs.ts';
import * as usage from '../core/calls/usage/jobs.ts';
import * as credits from '../core/credits/jobs.ts';
import * as deliveries from '../core/events/webhooks/deliveries/jobs.ts';
import * as webhooks from '../core/events/webhooks/endpoints/jobs.ts';
import * as budgets from '../core/limits/budgets/rules/jobs.ts';
import * as retention from '../core/retention/jobs.ts';
import * as administration from '../people/jobs.ts';
import type { Job } from '../platform/queues/job.ts';
import * as analytics from '../wings/analytics/jobs.ts';
import * as anomalies from '../wings/anomalies/jobs.ts';
import * as preferences from '../wings/digests/preferences/jobs.ts';
import * as held from '../wings/held/jobs.ts';
import * as closing from '../wings/push/closing/jobs.ts';
import * as destinations from '../wings/push/destinations/jobs.ts';
import * as raises from '../wings/raises/jobs.ts';
import * as moves from '../wings/work/moves/jobs.ts';

/** Every kind of job, for bull-board and the workers. Each is declared by its noun; no noun imports this table. */
export const JOBS: readonly Job[] = [
  sessions,
  anomalies,
  budgets,
  raises,
  held,
  moves,
  keys,
  deliveries,
  webhooks,
  usage,
  analytics,
  credits,
  devices,
  preferences,
  administration,
  closing,
  destinations,
  retention,
].flatMap((declared) => Object.values<Job>(declared));
