import { dropMetrics } from '../../shared/core/calls/adapters/receive.ts';
import { exportRoute } from '../otlp/export-route.ts';

export const otlpMetrics = exportRoute({
  path: '/otlp/v1/metrics',
  summary: 'Take OpenTelemetry metrics, and drop them',
  description:
    'Metrics repeat, as sums, what events and spans report one by one. They are accepted and not counted, so that a client does not fail.',
  field: 'rejectedDataPoints',
  take: (ctx, principal, request) => dropMetrics(ctx, principal, request),
});
