import { z } from 'zod';
import { isoTime } from '../../../platform/basics/clock.ts';
import type { Signal } from './model.ts';
import { NO_WORK, type WorkNames } from './place.ts';

const gate = {
  kind: z.string(),
  verdict: z.string(),
  action: z.string(),
  source: z.string(),
  policy_id: z.string().optional(),
  rule_id: z.string().optional(),
  reason: z.string().optional(),
  severity: z.string().optional(),
};

/** A signal as a session shows it: as posted, with its price. */
export const signalView = z.strictObject({
  id: z.string(),
  type: z.enum(['call', 'intervention']),
  ts: z.string(),
  user_id: z.string(),
  project_id: z.string(),
  adapter: z.string(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  tokens_in: z.int(),
  tokens_out: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
  service_tier: z.string().optional().describe('The tier that it was served in; absent: the standard one'),
  region: z.string().optional(),
  cache_write_1h_tokens: z.int().optional(),
  output_image_tokens: z.int().optional(),
  output_audio_tokens: z.int().optional(),
  tool_uses: z.record(z.string(), z.int()).optional().describe('Tools that the vendor ran, with how often'),
  cost_usd: z.number().nullable().describe('In US dollars; null when no price is known'),
  cost_source: z.enum(['reported', 'computed', 'unknown', 'rule']),
  price_rule: z
    .strictObject({ id: z.string(), name: z.string() })
    .optional()
    .describe('The price rule that gave it its cost'),
  error: z.strictObject({ code: z.string(), message: z.string().optional() }).optional(),
  latency_ms: z.number().optional(),
  tool_name: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  intervention: z.strictObject(gate).optional(),
  reservation_id: z.string().optional(),
  repository: z.string().nullable().describe('The repository that the call belongs to; null: none'),
  branch: z.string().nullable(),
  pull_request: z.string().nullable(),
  task: z.string().nullable(),
  voided: z
    .strictObject({
      at: z.string(),
      by: z.string().describe('A person’s account, or the id of an API key'),
      reason: z.string(),
    })
    .optional()
    .describe('Only of a signal that was voided, with `voided=include`'),
});

/** A signal as `signalView` shows it, for JSON, which leaves out what is undefined. `works` has the name of its work. */
export function viewSignal(signal: Signal, works: WorkNames): z.input<typeof signalView> {
  const {
    _id,
    org_id: _org,
    session_id: _session,
    received_at: _received,
    price_provider: _provider,
    list_nusd: _list,
    client_session: _client,
    work,
    own: _own,
    uncounted: _uncounted,
    reported_nusd: _reported,
    ts,
    cost_nusd,
    voided,
    ...posted
  } = signal;
  return {
    ...posted,
    ...(works.get(work ?? '') ?? NO_WORK),
    ...(voided ? { voided: { ...voided, at: isoTime(voided.at.getTime()) } } : {}),
    ts: isoTime(ts.getTime()),
    cost_usd: cost_nusd === null ? null : cost_nusd / 1e9,
  };
}

/** An intervention as its list shows it. */
export const interventionView = z.strictObject({
  id: z.string(),
  ts: z.string(),
  ...gate,
});

/** An intervention as `interventionView` shows it. Throws for any other signal. */
export function viewIntervention(signal: Signal): z.input<typeof interventionView> {
  if (!signal.intervention) throw new Error(`Signal ${signal._id} is no intervention`);
  return { id: signal.id, ts: isoTime(signal.ts.getTime()), ...signal.intervention };
}
