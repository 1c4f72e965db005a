import { z } from 'zod';
import { job } from '../platform/queues/job.ts';

/** Looks at an open session whose silence may have lasted. */
export const closeSessionJob = job('close-session', { session_id: z.string() });
