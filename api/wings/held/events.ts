import { z } from 'zod';
import type { EventDocuments } from '../../hooks/wing.ts';

export const events: EventDocuments = {
  'signals.held': {
    summary: 'Signals above a limit wait for a decision: at most once per hour',
    data: z.strictObject({
      held: z.int().describe('How many were held since the last such event and wait for a decision'),
      adapters: z.array(z.string()).describe('Their adapters, at most 20'),
      users: z.array(z.string()).meta({ description: 'Their users, at most 20', examples: [['ada']] }),
      first_at: z.string().describe('When the first of them was held'),
    }),
  },
};
