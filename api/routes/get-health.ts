import { z } from 'zod';
import { route } from '../basics/route.ts';

export const getHealth = route({
  method: 'get',
  path: '/healthz',
  summary: 'Tell whether this process turns',
  tag: 'Operations',
  auth: { kind: 'none' },
  priority: 'consume',
  isProbe: true,
  success: { status: 200, description: 'It does', body: z.strictObject({ status: z.literal('ok') }) },
  handle: async () => ({ status: 'ok' as const }),
});
