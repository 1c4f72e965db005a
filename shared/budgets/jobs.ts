import { z } from 'zod';
import { job } from '../platform/queues/job.ts';

/** Looks at all budgets of an organization whose usage has changed. */
export const evaluateBudgetsJob = job('evaluate-budgets', { org_id: z.string() });
