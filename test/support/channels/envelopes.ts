import type { Words } from '../../../shared/core/events/record/new-event.ts';
import type { Envelope } from '../../../shared/core/events/webhooks/messages/message.ts';
import type { EventType } from '../../../shared/platform/basics/contract.ts';

const BUDGET = {
  budget_id: 'bud_1',
  budget_name: 'Research, per month',
  scope: 'team',
  scope_id: 'research',
  threshold: 500,
  current: 512.5,
};
const SESSION = {
  id: 'ses_1',
  user_id: 'ada',
  project_id: 'checkout',
  model: 'claude-sonnet-4-5',
  cost_usd: 1.25,
  signal_count: 12,
  end_reason: 'timeout',
};

const DATA: Record<EventType, Record<string, unknown>> = {
  'session.started': SESSION,
  'session.ended': SESSION,
  'budget.warning': { ...BUDGET, current: 412.5, event_id: 'evt_1' },
  'budget.exceeded': { ...BUDGET, window: 'monthly', metric: 'cost_usd' },
  'budget.threshold': { ...BUDGET, window: 'monthly', metric: 'cost_usd', alert_at: 50 },
  'budget.forecast': { ...BUDGET, window: 'monthly', metric: 'tokens', forecast: 720_000 },
  'budget.raise_requested': {
    raise_id: 'rai_1',
    budget_id: 'bud_1',
    budget_name: 'Research, per month',
    user_id: 'ada',
    amount: 20,
    metric: 'cost_usd',
    status: 'pending',
    ends_at: null,
    link: 'https://governor.example.com/dashboard/raises/rai_1',
  },
  'budget.raise_answered': {
    raise_id: 'rai_1',
    budget_id: 'bud_1',
    budget_name: 'Research, per month',
    user_id: 'ada',
    amount: 20,
    metric: 'cost_usd',
    status: 'approved',
    ends_at: '2026-01-15T12:00:00.000Z',
    link: 'https://governor.example.com/dashboard/raises/rai_1',
  },
  'credit.low': { user_id: 'ada', total: 7, balances: { window: 0, monthly: 7, paid: 0, granted: 0 } },
  'credit.depleted': { user_id: 'ada', total: 0, balances: { window: 0, monthly: 0, paid: 0, granted: 0 } },
  digest: { from: '2026-01-14T09:30:00.000Z', to: '2026-01-15T09:30:00.000Z', events: [] },
  'anomaly.detected': {
    anomaly_type: 'token_spike',
    user_id: 'ada',
    baseline_avg: 1_800,
    observed: 21_400,
    deviation_pct: 1_088.9,
    session_id: 'ses_1',
  },
  'signals.held': {
    held: 3,
    adapters: ['claude-code'],
    users: ['ada', 'bob'],
    first_at: '2026-01-15T08:30:00.000Z',
  },
  'export.failed': {
    destination_id: 'dst_1',
    name: 'Finance',
    code: 'access_denied',
    since: '2026-01-15T03:00:00.000Z',
    last_success_at: '2026-01-14T03:00:00.000Z',
    next_attempt_at: '2026-01-16T03:00:00.000Z',
  },
};

/** An envelope of a type, with these fields of its data in place of the usual ones. */
export function envelopeOf(type: EventType, data: Record<string, unknown> = {}): Envelope {
  return {
    id: 'evt_1',
    type,
    org_id: 'org_1',
    ts: '2026-01-15T09:30:00.000Z',
    data: { ...DATA[type], ...data },
  };
}

/** One envelope of each type in which every text is `text`, and a digest of all of them, several times over. */
export function envelopesWith(text: string): Envelope[] {
  const single = singlesWith(text);
  const events = Array.from({ length: 20 }, () => single).flat();
  return [...single, envelopeOf('digest', { events })];
}

/** Words in which everything that has a name is called `text`, and whose link has signs that formats write otherwise. */
export function wordsWith(text: string): Words {
  return {
    timezone: 'Europe/Berlin',
    names: { ada: text, bob: text, research: text },
    link: 'https://governor.example.com/dashboard/budgets/bud_1?a=1&b=(2)',
    metric: 'cost_usd',
    period: 'this month',
    cause: { share_pct: 70, user_id: 'ada', session: { calls: 90, tool: text } },
    session: { project_id: text, started_at: '2026-01-15T09:30:00.000Z' },
  };
}

function singlesWith(text: string): Envelope[] {
  return (Object.keys(DATA) as EventType[]).map((type) => {
    const texts = Object.entries(DATA[type]).map(([name, value]) => [
      name,
      typeof value === 'string' ? text : isTexts(value) ? value.map(() => text) : value,
    ]);
    return envelopeOf(type, Object.fromEntries(texts));
  });
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
}

/** Text that would be markup, a mention, a link, a header or something invisible, if anything read it as more than text. */
export const HOSTILE = [
  '<!channel> <!here> <@U012AB3CD> <https://evil.example|your bank>',
  '@everyone @here <@&123> <@123> <#456> </deploy:789>',
  '*bold* _italic_ ~struck~ `code` ```block``` ||spoiler|| # heading - list > quote 1. one',
  '[your bank](https://evil.example) ![x](https://evil.example/x.png) https://evil.example',
  '{{DATE(2017-02-14T06:00:00Z, SHORT)}} {{x}} <at>Ada</at>',
  'Ada\r\nBcc: everyone@example.com\r\n\r\n<script>alert(1)</script>',
  '\u202egnp.exe \u2066 &amp; &lt;b&gt; "quoted" \\',
  '\u0000\u0007\u001b[31mred',
] as const;
