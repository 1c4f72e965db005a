import { noteLogs, receiveOtlp } from '../../shared/core/calls/adapters/receive.ts';
import { senderOf } from '../../shared/core/calls/signals/check-signal.ts';
import { exportRoute } from '../otlp/export-route.ts';

export const otlpLogs = exportRoute({
  path: '/otlp/v1/logs',
  summary: 'Take OpenTelemetry log records',
  description:
    'Events of Claude Code, Codex, Gemini CLI and Qwen Code become signals, and so do lines of an access log that name a ' +
    'reservation (`governor.reservation_id`); other records are taken and not counted. OTLP/HTTP, protobuf or JSON, gzip. docs/adapters.md has the settings of each tool.',
  field: 'rejectedLogRecords',
  take: (ctx, principal, request) => {
    noteLogs(ctx, principal.keyId);
    return receiveOtlp(ctx, senderOf(principal), { ...request, kind: 'logs' });
  },
});
