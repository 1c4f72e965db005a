import { z } from 'zod';
import { isoTime } from '../platform/basics/clock.ts';
import type { Signal } from './model.ts';

/** A signal as a session shows it: as posted, with its price. */
export function viewSignal(signal: Signal): Record<string, unknown> {
  return {
    id: signal.id,
    type: signal.type,
    ts: isoTime(signal.ts.getTime()),
    user_id: signal.user_id,
    project_id: signal.project_id,
    adapter: signal.adapter,
    model: signal.model,
    provider: signal.provider,
    tokens_in: signal.tokens_in,
    tokens_out: signal.tokens_out,
    cache_read_tokens: signal.cache_read_tokens,
    cache_write_tokens: signal.cache_write_tokens,
    cost_usd: signal.cost_nusd === null ? null : signal.cost_nusd / 1e9,
    cost_source: signal.cost_source,
    ...optionalParts(signal),
  };
}

function optionalParts(signal: Signal): Record<string, unknown> {
  return {
    ...(signal.error ? { error: signal.error } : {}),
    ...(signal.latency_ms === undefined ? {} : { latency_ms: signal.latency_ms }),
    ...(signal.tool_name === undefined ? {} : { tool_name: signal.tool_name }),
    ...(signal.metadata ? { metadata: signal.metadata } : {}),
    ...(signal.intervention ? { intervention: signal.intervention } : {}),
  };
}

/** An intervention as its list shows it. */
export const interventionView = z.strictObject({
  id: z.string(),
  ts: z.string(),
  kind: z.string(),
  verdict: z.string(),
  action: z.string(),
  source: z.string(),
  policy_id: z.string().optional(),
  rule_id: z.string().optional(),
  reason: z.string().optional(),
  severity: z.string().optional(),
});

export function viewIntervention(signal: Signal): z.input<typeof interventionView> {
  if (!signal.intervention) throw new Error(`Signal ${signal._id} is no intervention`);
  return { id: signal.id, ts: isoTime(signal.ts.getTime()), ...signal.intervention };
}
