import type { Webhook } from '../../data/queries.ts';

/** The state of a webhook in one word. Failing goes before paused, because somebody has to mend it. */
export function webhookState({ status, enabled }: Pick<Webhook, 'status' | 'enabled'>): string {
  if (status === 'failing') return 'failing';
  return enabled ? 'active' : 'paused';
}

/** True for a webhook that writes to people: a chat or a mailbox. It belongs to Alerts. */
export function isChannel({ format }: Pick<Webhook, 'format'>): boolean {
  return format !== 'json';
}

/** The status of an answer in words: an endpoint speaks HTTP, and a mail server SMTP. */
export function statusWords({ format }: Pick<Webhook, 'format'>, status: number): string {
  return `${format === 'email' ? 'SMTP' : 'HTTP'} ${status}`;
}

/** The page of a webhook, and the list that it belongs to. */
export function placeOf(webhook: Pick<Webhook, 'id' | 'format'>) {
  const list = isChannel(webhook)
    ? ({ to: '/alerts', label: 'Alerts' } as const)
    : ({ to: '/webhooks', label: 'Webhooks' } as const);
  return { list, page: `${list.to}/${webhook.id}` };
}

/** The events that a webhook may name, in few words. */
const SHORT: Readonly<Record<string, string>> = {
  'session.started': 'sessions begin',
  'session.ended': 'sessions end',
  'budget.warning': 'budgets at 80 %',
  'budget.exceeded': 'budgets exceeded',
  'budget.raise_requested': 'raises asked for',
  'budget.raise_answered': 'raises answered',
  'anomaly.detected': 'anomalies',
  'signals.held': 'held calls',
  'export.failed': 'exports that fail',
  'credit.low': 'credits low',
  'credit.depleted': 'credits used up',
};

/** All that a webhook gets, in few words. */
export function subscriptionText({
  events,
  alert_at,
  forecast,
}: Pick<Webhook, 'events' | 'alert_at' | 'forecast'>): string {
  const named = events.map((event) => SHORT[event] ?? event);
  return [...named, ...alertNames({ alert_at, forecast })].join(', ');
}

/** The alerts about budgets that a webhook gets. */
export function alertsText(webhook: Alerts): string {
  return alertNames(webhook).join(', ') || '–';
}

/** The hours in which a channel waits. */
export function quietText({ quiet_hours }: Pick<Webhook, 'quiet_hours'>): string {
  if (!quiet_hours) return '–';
  const { from, to, timezone } = quiet_hours;
  return `${from} to ${to}, ${timezone}`;
}

type Alerts = Pick<Webhook, 'alert_at' | 'forecast'>;

function alertNames({ alert_at, forecast }: Alerts): string[] {
  return [...alert_at.map((percent) => `${percent} %`), ...(forecast ? ['forecast'] : [])];
}
