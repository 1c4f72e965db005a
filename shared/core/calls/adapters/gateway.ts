import {
  baseOf,
  costOf,
  errorOf,
  latencyOf,
  metadataOf,
  modelOf,
  nativeId,
  RESERVATION_KEY,
} from './base.ts';
import { tokensOf } from './cached-input.ts';
import { clip, countOf, textOf } from './fields.ts';
import type { OtlpRecord } from './otlp/record.ts';
import type { PostedSignal } from './posted.ts';

const ADAPTER = 'gateway';

/** Attributes of a gateway's access log that may be read. */
export const GATEWAY_KEYS = [
  'governor.user_id',
  'governor.project_id',
  'governor.request_id',
  'gen_ai.request.model',
  'gen_ai.provider.name',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.cost',
  'http.response.status_code',
] as const;

/** The call of an access log: it counts, or it was not made and its reservation is released. */
export type Logged = { signal: PostedSignal } | { releases: string };

/**
 * The call of a log record that names a reservation and that no tool wrote: a gateway's access log. Null for any other record.
 * Proxies write `-` for what is missing. Throws `RejectedRecord`.
 */
export function adaptGateway(logged: OtlpRecord): Logged | null {
  const attributes = new Map([...logged.attributes].filter(([, value]) => value !== '-'));
  const record = { ...logged, attributes };
  const reservation = textOf(record, RESERVATION_KEY);
  if (record.kind !== 'logs' || reservation === undefined) return null;
  const hasFailed = countOf(record, 'http.response.status_code') >= 400;
  const hasTokens = textOf(record, 'gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens') !== undefined;
  if (hasFailed && !hasTokens) return { releases: reservation };
  return { signal: callOf(record, reservation, { hasFailed, hasTokens }) };
}

function callOf(
  record: OtlpRecord,
  reservation: string,
  { hasFailed, hasTokens }: { hasFailed: boolean; hasTokens: boolean },
): PostedSignal {
  const input = countOf(record, 'gen_ai.usage.input_tokens');
  const output = countOf(record, 'gen_ai.usage.output_tokens');
  const { tokens } = tokensOf({ input, output, cacheRead: 0, cacheWrite: 0 }, 'gateway');
  const user = textOf(record, 'governor.user_id')?.trim();
  const project = textOf(record, 'governor.project_id');
  const provider = textOf(record, 'gen_ai.provider.name');
  return {
    ...baseOf(record, ADAPTER),
    ...(user ? { user_id: clip(user, 256) } : {}),
    ...(project === undefined ? {} : { project_id: clip(project, 256) }),
    id: nativeId(textOf(record, 'governor.request_id') ?? reservation),
    ...modelOf(record, 'gen_ai.request.model'),
    ...(provider === undefined ? {} : { provider: clip(provider, 128) }),
    ...(hasTokens ? tokens : { tokens_in: null, tokens_out: null }),
    ...costOf(record, 'gen_ai.usage.cost'),
    ...(hasFailed ? errorOf(record, 'http.response.status_code') : {}),
    ...latencyOf(record),
    ...metadataOf({ client_session_id: textOf(record, 'session.id') }),
  };
}
