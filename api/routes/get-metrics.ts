import { z } from 'zod';
import { reply, route } from '../basics/route.ts';
import { refreshGauges } from '../metrics/refresh-gauges.ts';

export const getMetrics = route({
  method: 'get',
  path: '/metrics',
  summary: 'Metrics for Prometheus',
  tag: 'Operations',
  auth: { kind: 'operator' },
  priority: 'consume',
  success: {
    status: 200,
    description: 'Prometheus text format',
    contentType: 'text/plain; version=0.0.4',
    body: z.string(),
  },
  handle: async (_input, ctx) => {
    await refreshGauges(ctx);
    return reply(await ctx.metrics.registry.metrics());
  },
});
