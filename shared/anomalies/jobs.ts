import { z } from 'zod';
import { job } from '../platform/queues/job.ts';

/** Looks for anomalies in a session that has changed. */
export const detectAnomaliesJob = job('detect-anomalies', { session_id: z.string() });
