import { z } from 'zod';
import { isoTime } from '../../../platform/basics/clock.ts';
import { ANOMALY_TYPES } from '../../../platform/basics/contract.ts';
import { usd4 } from '../../pricing/money.ts';
import type { Session } from './model.ts';

/** A session as the API and the events show it, without its signals. */
export const sessionView = z.strictObject({
  id: z.string(),
  user_id: z.string(),
  project_id: z.string(),
  started_at: z.string(),
  ended_at: z.string().describe('While open: the last activity so far'),
  duration_s: z.int(),
  model: z.string(),
  models: z.array(z.string()),
  tokens_in: z.int(),
  tokens_out: z.int(),
  cost_usd: z.number(),
  signal_count: z.int(),
  error_count: z.int(),
  adapter: z.string(),
  state: z.enum(['open', 'ended']),
  end_reason: z.enum(['timeout', 'closed']).nullable(),
  intervention_count: z.int(),
  unpriced_signals: z.int(),
  last_activity_at: z.string(),
});
export type SessionView = z.output<typeof sessionView>;

export function viewSession(session: Session): SessionView {
  const lengthMs = session.ended_at.getTime() - session.started_at.getTime();
  return {
    id: session._id,
    user_id: session.user_id,
    project_id: session.project_id,
    started_at: isoTime(session.started_at.getTime()),
    ended_at: isoTime(session.ended_at.getTime()),
    duration_s: Math.floor(lengthMs / 1_000),
    model: session.model,
    models: session.model_tokens.map((entry) => entry.model),
    tokens_in: session.tokens_in,
    tokens_out: session.tokens_out,
    cost_usd: usd4(session.cost_nusd),
    signal_count: session.signal_count,
    error_count: session.error_count,
    adapter: session.adapter,
    state: session.state,
    end_reason: session.end_reason,
    intervention_count: session.intervention_count,
    unpriced_signals: session.unpriced_signals,
    last_activity_at: isoTime(session.last_activity_at.getTime()),
  };
}

export const listedSessionView = sessionView.extend({
  anomaly_types: z.array(z.enum(ANOMALY_TYPES)).describe('The kinds of its anomalies'),
});

export function viewListedSession(session: Session): z.output<typeof listedSessionView> {
  return { ...viewSession(session), anomaly_types: session.anomaly_types ?? [] };
}
