import * as administration from '../administration/jobs.ts';
import * as analytics from '../analytics/jobs.ts';
import * as anomalies from '../anomalies/jobs.ts';
import * as budgets from '../budgets/jobs.ts';
import * as closing from '../closing/jobs.ts';
import * as credits from '../credits/jobs.ts';
import * as destinations from '../destinations/jobs.ts';
import * as devices from '../devices/jobs.ts';
import * as held from '../held/jobs.ts';
import * as keys from '../keys/jobs.ts';
import * as moves from '../moves/jobs.ts';
import type { Job } from '../platform/queues/job.ts';
import * as preferences from '../preferences/jobs.ts';
import * as raises from '../raises/jobs.ts';
import * as retention from '../retention/jobs.ts';
import * as sessions from '../sessions/jobs.ts';
import * as usage from '../usage/jobs.ts';
import * as deliveries from '../webhooks/deliveries/jobs.ts';
import * as webhooks from '../webhooks/endpoints/jobs.ts';

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
