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
import { WINGS } from './wings.ts';

const CORE = [
  sessions,
  budgets,
  keys,
  deliveries,
  webhooks,
  usage,
  credits,
  devices,
  administration,
  retention,
].flatMap((declared) => Object.values<Job>(declared));

/** Every kind of job, for bull-board and the workers. Each is declared by its noun; no noun imports this table. */
export const JOBS: readonly Job[] = [...CORE, ...WINGS.flatMap(({ jobs = [] }) => jobs)];
