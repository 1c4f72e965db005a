import { z } from 'zod';
import { FAILURE_CODES } from '../../../shared/wings/push/destinations/failures.ts';
import type { EventDocuments } from '../../hooks/wing.ts';

export const events: EventDocuments = {
  'export.failed': {
    summary: 'The runs of a destination of exports fail: once until one succeeds',
    data: z.strictObject({
      destination_id: z.string(),
      name: z.string(),
      code: z.enum(FAILURE_CODES),
      since: z.string().describe('When the first of these runs failed'),
      last_success_at: z.string().nullable().describe('When a run last succeeded'),
      next_attempt_at: z.string().nullable().describe('When the next run begins; null while it is paused'),
    }),
  },
};
