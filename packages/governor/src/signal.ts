import { clip } from '../../../shared/adapters/fields.ts';
import type { PostedSignal } from '../../../shared/adapters/posted.ts';

/** What history knows of a call. Tokens as signals have them: the input includes what was cached. */
export interface HistoryCall {
  id: string;
  ts: string;
  adapter: string;
  model?: string | undefined;
  provider?: string | undefined;
  sessionId?: string | undefined;
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
  costUsd?: number | undefined;
  /** Why it failed; undefined for a call that succeeded. */
  errorCode?: string | undefined;
  metadata?: Record<string, string>;
}

/** The signal of a call; `source: import` tells it from what OpenTelemetry sent. */
export function signalOf(call: HistoryCall): PostedSignal {
  const { id, ts, adapter, model, provider, sessionId, costUsd, errorCode } = call;
  return {
    id,
    ts,
    adapter,
    ...(model === undefined ? {} : { model: clip(model, 256) }),
    ...(provider === undefined ? {} : { provider: clip(provider, 128) }),
    tokens_in: call.input,
    tokens_out: call.output,
    cache_read_tokens: call.cacheRead ?? 0,
    cache_write_tokens: call.cacheWrite ?? 0,
    ...(costUsd ? { cost_usd: costUsd } : {}),
    ...(errorCode === undefined ? {} : { error: { code: clip(errorCode, 128) } }),
    metadata: {
      source: 'import',
      ...(sessionId === undefined ? {} : { client_session_id: clip(sessionId, 256) }),
      ...call.metadata,
    },
  };
}
