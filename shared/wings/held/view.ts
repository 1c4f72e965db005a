import { z } from 'zod';
import { signalView } from '../../core/calls/signals/view.ts';
import { isoTime } from '../../platform/basics/clock.ts';
import { SIGNAL_AGE_MS } from '../../platform/basics/contract.ts';
import { HELD_LIMITS, HELD_STATES, type HeldSignal } from './model.ts';
import { holdAboveView } from './settings.ts';

export const heldView = z.strictObject({
  id: z.string(),
  signal: signalView.pick({
    id: true,
    ts: true,
    user_id: true,
    project_id: true,
    adapter: true,
    model: true,
    provider: true,
    tokens_in: true,
    tokens_out: true,
    cache_read_tokens: true,
    cache_write_tokens: true,
    cost_usd: true,
    cost_source: true,
  }),
  above: z.array(z.enum(HELD_LIMITS)).describe('The limits that it is above'),
  hold_above: holdAboveView,
  state: z.enum(HELD_STATES),
  held_at: z.string(),
  expires_at: z.string().describe('When it is deleted, whatever was decided: it is 35 days old then'),
  decided_at: z.string().nullable(),
  decided_by: z.string().nullable().describe('A person’s account, or the id of an API key'),
});

export function viewHeld(held: HeldSignal): z.input<typeof heldView> {
  const { _id, signal, above, hold_above, state, held_at, decided_at, decided_by } = held;
  const { id, ts, user_id, project_id, adapter, model, provider, cost_nusd, cost_source } = signal;
  const { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens } = signal;
  const tokens = { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens };
  const cost_usd = cost_nusd === null ? null : cost_nusd / 1e9;
  const call = { id, ts: isoTime(ts.getTime()), user_id, project_id, adapter, model, provider };
  return {
    id: _id,
    signal: { ...call, ...tokens, cost_usd, cost_source },
    above,
    hold_above,
    state,
    held_at: isoTime(held_at.getTime()),
    expires_at: isoTime(ts.getTime() + SIGNAL_AGE_MS.behind),
    decided_at: decided_at && isoTime(decided_at.getTime()),
    decided_by,
  };
}

const NUMBERS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 });

/** Why a signal is held, in words: "25,000,000 tokens are more than 20,000,000; an admin decides". */
export function describeHeld({ signal, above, hold_above }: HeldSignal): string {
  const passed = above.map((limit) => {
    const most = NUMBERS.format(hold_above[limit] ?? 0);
    return limit === 'tokens'
      ? `${NUMBERS.format(signal.tokens_in + signal.tokens_out)} tokens are more than ${most}`
      : `a cost of $${NUMBERS.format((signal.cost_nusd ?? 0) / 1e9)} is more than $${most}`;
  });
  return `${passed.join(', ')}; an admin decides`;
}
