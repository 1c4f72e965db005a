import { dropMetrics } from '../../shared/adapters/receive.ts';
import { exportRoute } from '../otlp/export-route.ts';

export const otlpMetrics = exportRoute({
  path: '/otlp/v1/metrics',
  summary: 'Take OpenTelemetry metrics, and drop them',
  description:
    'Metrics are sums of what events and spans tell one by one. They are taken, so that a client is content.',
  field: 'rejectedDataPoints',
  take: (ctx, principal, request) => dropMetrics(ctx, principal, request),
});
