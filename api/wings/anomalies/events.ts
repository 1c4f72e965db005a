import { z } from 'zod';
import { ANOMALY_TYPES } from '../../../shared/platform/basics/contract.ts';
import type { EventDocuments } from '../../hooks/wing.ts';

export const events: EventDocuments = {
  'anomaly.detected': {
    summary: 'Usage is unlike what is usual for the user',
    data: z.strictObject({
      anomaly_type: z.enum(ANOMALY_TYPES),
      user_id: z.string(),
      baseline_avg: z.number(),
      observed: z.number(),
      deviation_pct: z.number(),
      session_id: z.string(),
    }),
  },
};
