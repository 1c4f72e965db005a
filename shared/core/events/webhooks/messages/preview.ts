import { isoTime } from '../../../../platform/basics/clock.ts';
import type { EventType, WebhookFormat } from '../../../../platform/basics/contract.ts';
import type { Words } from '../../record/new-event.ts';
import { messageOf } from './describe-event.ts';
import type { Envelope, Message, Rendered } from './message.ts';
import { render } from './render.ts';

const BUDGET = {
  budget_id: 'bud_3Kf9XqLm2TzVb7Rw8YcN1p',
  budget_name: 'Research, per month',
  scope: 'team',
  scope_id: 'research',
  threshold: 500,
  current: 412.5,
};
const RAISE = {
  raise_id: 'rai_3Kf9XqLm2TzVb7Rw8YcN1p',
  budget_id: 'bud_3Kf9XqLm2TzVb7Rw8YcN1p',
  budget_name: 'Research, per month',
  user_id: 'ada',
  amount: 20,
  metric: 'cost_usd',
  status: 'pending',
  ends_at: null,
  link: 'https://governor.example.com/dashboard/raises/rai_3Kf9XqLm2TzVb7Rw8YcN1p',
};
const WINDOWED = { ...BUDGET, window: 'monthly', metric: 'cost_usd' };

/** Made-up data of `session.started` at `ts` (ISO 8601); a test compares it with the sessions' own view. */
export function sampleSession(ts: string): Record<string, unknown> {
  return {
    id: 'ses_3Kf9XqLm2TzVb7Rw8YcN1p',
    user_id: 'ada',
    project_id: 'checkout',
    started_at: ts,
    ended_at: ts,
    duration_s: 0,
    model: 'claude-sonnet-4-5',
    models: ['claude-sonnet-4-5'],
    tokens_in: 8_512,
    tokens_out: 300,
    cost_usd: 0.0088,
    signal_count: 1,
    error_count: 0,
    adapter: 'claude-code',
    state: 'open',
    end_reason: null,
    intervention_count: 0,
    unpriced_signals: 0,
    last_activity_at: ts,
  };
}

/** Made-up data of each type of event that says something by itself. */
const samplesAt = (ts: string): Record<Exclude<EventType, 'digest'>, Record<string, unknown>> => ({
  'session.started': sampleSession(ts),
  'session.ended': { ...sampleSession(ts), state: 'ended', end_reason: 'timeout' },
  'budget.warning': { ...BUDGET, event_id: 'evt_3Kf9XqLm2TzVb7Rw8YcN1p' },
  'budget.exceeded': { ...WINDOWED, current: 512.5 },
  'budget.threshold': { ...WINDOWED, alert_at: 50 },
  'budget.forecast': { ...WINDOWED, forecast: 720 },
  'budget.raise_requested': RAISE,
  'budget.raise_answered': { ...RAISE, status: 'approved', ends_at: ts },
  'credit.low': { user_id: 'ada', total: 22, balances: { window: 2, monthly: 20, paid: 0, granted: 0 } },
  'credit.depleted': { user_id: 'ada', total: 0, balances: { window: 0, monthly: 0, paid: 0, granted: 0 } },
  'anomaly.detected': {
    anomaly_type: 'token_spike',
    user_id: 'ada',
    baseline_avg: 1_800,
    observed: 21_400,
    deviation_pct: 1_088.9,
    session_id: 'ses_3Kf9XqLm2TzVb7Rw8YcN1p',
  },
  'signals.held': { held: 3, adapters: ['claude-code'], users: ['ada', 'bob'], first_at: ts },
  'export.failed': {
    destination_id: 'dst_3Kf9XqLm2TzVb7Rw8YcN1p',
    name: 'Finance',
    code: 'access_denied',
    since: ts,
    last_success_at: ts,
    next_attempt_at: ts,
  },
});

const NAMES = { ada: 'Ada Lovelace', bob: 'Bob Kahn' };
const PAGE = 'https://governor.example.com/dashboard/';
const OF_SESSION = { link: `${PAGE}sessions/ses_3Kf9XqLm2TzVb7Rw8YcN1p` };
const OF_BUDGET = {
  link: `${PAGE}budgets/bud_3Kf9XqLm2TzVb7Rw8YcN1p`,
  metric: 'cost_usd',
  period: 'this month',
  cause: { share_pct: 70, user_id: 'ada', session: { calls: 90, tool: 'run_tests' } },
};

/** Words beside the made-up data. */
const SAMPLE_WORDS: Record<Exclude<EventType, 'digest'>, Words> = {
  'session.started': OF_SESSION,
  'session.ended': OF_SESSION,
  'budget.warning': { ...OF_BUDGET, forecast: 720 },
  'budget.exceeded': OF_BUDGET,
  'budget.threshold': OF_BUDGET,
  'budget.forecast': OF_BUDGET,
  'budget.raise_requested': {},
  'budget.raise_answered': {},
  'credit.low': { link: `${PAGE}credits` },
  'credit.depleted': { link: `${PAGE}credits` },
  'anomaly.detected': { ...OF_SESSION, cause: { user_id: 'ada', session: { calls: 90, tool: 'run_tests' } } },
  'signals.held': { link: `${PAGE}sessions` },
  'export.failed': { link: `${PAGE}export/dst_3Kf9XqLm2TzVb7Rw8YcN1p` },
};

/** The message of an event in words, as the API shows it. */
interface ShownMessage extends Pick<Message, 'title' | 'urgency'> {
  facts: { label: string; value: string }[];
  link: { label: string; url: string } | null;
}

/** Renders an event of a type for a format, with made-up data of `nowMs` (epoch ms), in a zone. Pure. */
export function previewMessage({
  format,
  type,
  orgId,
  timezone,
  nowMs,
}: {
  format: WebhookFormat;
  type: EventType;
  orgId: string;
  timezone: string;
  nowMs: number;
}): Rendered & { message: ShownMessage } {
  const ts = isoTime(nowMs);
  const envelope: Envelope = { id: 'evt_preview', type, org_id: orgId, ts, data: sampleOf(type, ts) };
  const words = wordsOf(type, timezone);
  const { title, urgency, facts, link } = messageOf(envelope, words);
  const shown: ShownMessage = {
    title,
    urgency,
    facts: facts.map(([label, value]) => ({ label, value })),
    link: link ? { label: link[0], url: link[1] } : null,
  };
  return { ...render(format, JSON.stringify(envelope), JSON.stringify(words)), message: shown };
}

function wordsOf(type: EventType, timezone: string): Words {
  const inZone = (words: Words): Words => ({ ...words, timezone, names: NAMES });
  if (type !== 'digest') return inZone(SAMPLE_WORDS[type]);
  const events = Object.values(SAMPLE_WORDS).map(inZone);
  return inZone({ link: `${PAGE}alerts/whk_3Kf9XqLm2TzVb7Rw8YcN1p`, events });
}

function sampleOf(type: EventType, ts: string): Record<string, unknown> {
  const samples = samplesAt(ts);
  if (type !== 'digest') return samples[type];
  const events = Object.entries(samples).map(([each, data]) => ({ id: 'evt_preview', type: each, ts, data }));
  return { from: ts, to: ts, events };
}
