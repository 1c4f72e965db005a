import { receiveOtlp } from '../../shared/core/calls/adapters/receive.ts';
import { senderOf } from '../../shared/core/calls/signals/check-signal.ts';
import { exportRoute } from '../otlp/export-route.ts';

export const otlpTraces = exportRoute({
  path: '/otlp/v1/traces',
  summary: 'Take OpenTelemetry spans',
  description:
    'Spans of model and tool calls become signals: OpenTelemetry GenAI conventions, Vercel AI SDK, OpenInference, ' +
    'OpenLLMetry. Spans around them repeat what they used and are not counted.',
  field: 'rejectedSpans',
  take: (ctx, principal, request) => receiveOtlp(ctx, senderOf(principal), { ...request, kind: 'traces' }),
});
