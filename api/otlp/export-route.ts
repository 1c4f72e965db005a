import type { OtlpEncoding } from '../../shared/core/calls/adapters/otlp/read-records.ts';
import { UnreadableOtlp } from '../../shared/core/calls/adapters/otlp/record.ts';
import type { OtlpOutcome } from '../../shared/core/calls/adapters/receive.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { type AnyRoute, type ApiKeyPrincipal, route } from '../basics/route.ts';
import { answerOtlp, otlpAnswer, type RejectedField } from './answer.ts';

interface ExportRoute {
  path: '/otlp/v1/logs' | '/otlp/v1/traces' | '/otlp/v1/metrics';
  summary: string;
  description: string;
  field: RejectedField;
  take: (
    ctx: Context,
    principal: ApiKeyPrincipal,
    request: { body: Uint8Array; encoding: OtlpEncoding },
  ) => Promise<OtlpOutcome>;
}

/** One route of OTLP/HTTP (opentelemetry.io/docs/specs/otlp): the same key, scope and limits as `POST /api/v1/signals`. */
export function exportRoute({ path, summary, description, field, take }: ExportRoute): AnyRoute {
  return route({
    method: 'post',
    path,
    summary,
    description,
    tag: 'OpenTelemetry',
    auth: { kind: 'api-key', scope: 'signals:write' },
    priority: 'ingest',
    errorStyle: 'otlp',
    takesBytes: 'otlp',
    success: {
      status: 200,
      description: 'Taken; `partialSuccess` tells what was refused, or a warning',
      body: otlpAnswer,
    },
    handle: async ({ principal, request }, ctx) => {
      const sent = request.bytes;
      if (sent === null) throw new Error('A route that takes bytes was served without them');
      try {
        return answerOtlp(sent.encoding, field, await take(ctx, principal, sent));
      } catch (error) {
        // Permanent: no retry makes it readable.
        if (error instanceof UnreadableOtlp) throw new DomainError('invalid_request', error.message);
        throw error;
      }
    },
  });
}
