import type { Session } from '../../core/calls/sessions/model.ts';
import type { Webhook } from '../../core/events/webhooks/endpoints/model.ts';
import { oneLine, readable, unlinked } from '../../core/events/webhooks/messages/text.ts';
import type { BudgetView } from '../../core/limits/budgets/rules/view.ts';
import { dollars, usd4 } from '../../core/pricing/money.ts';
import type { Anomaly } from '../anomalies/model.ts';
import type { DigestPeriod } from './period.ts';
import type { Digest, DigestPart } from './read-digest.ts';

/** Characters of a name. */
const NAME = 80;
/** Budgets and webhooks of one list; the rest is counted. */
const LISTED = 10;

/** The subject and the text of a digest. Names from outside stay text: one line each, without a link. Pure. */
export function digestText({ period, organization, own, whole }: Digest): { subject: string; text: string } {
  const subject = `${nameOf(organization.name)}: your ${period.kind} digest, ${daysOf(period)}`;
  const lines = [
    `Your usage ${period.kind === 'daily' ? 'on' : 'from'} ${daysOf(period)} (${period.timezone})`,
    '',
    ...linesOf(own, period),
  ];
  if (whole)
    lines.push(
      '',
      `The organization “${nameOf(organization.name)}”`,
      '',
      ...linesOf(whole, period),
      ...heldLines(whole.held),
      ...listed('Failing webhooks, whose deliveries are held', whole.failing.map(webhookLine)),
    );
  return { subject, text: unlinked(lines.join('\n')) };
}

function linesOf(
  { totals, before, sessions, budgets, anomalies }: DigestPart,
  period: DigestPeriod,
): string[] {
  const { cost_usd, signals, errors, unpriced_signals } = totals;
  const unpriced =
    unpriced_signals > 0 ? [`Calls without a price, which count as $0: ${readable(unpriced_signals)}`] : [];
  return [
    `Cost: ${money(cost_usd)}, ${comparison(cost_usd, before.cost_usd, period)}`,
    `Sessions: ${readable(totals.sessions)}, calls: ${readable(signals)}, errors: ${readable(errors)}`,
    ...unpriced,
    ...listed(
      'Most expensive sessions',
      sessions.map((session) => sessionLine(session, period.timezone)),
    ),
    ...listed('Budgets at 80 % or more', budgets.map(budgetLine)),
    ...listed(`Anomalies: ${readable(anomalies.total)}`, anomalies.rows.map(anomalyLine), anomalies.total),
  ];
}

function heldLines(held: number): string[] {
  if (held === 0) return [];
  return ['', `Signals that are held and wait for a decision of an admin: ${readable(held)}`];
}

function comparison(now: number, before: number, { kind }: DigestPeriod): string {
  const than = kind === 'daily' ? 'the day before' : 'the week before';
  if (before === 0) return now === 0 ? `as ${than}` : `$0.00 ${than}`;
  const change = Math.round((100 * (now - before)) / before);
  if (change === 0) return `no change from ${than} (${money(before)})`;
  return `${readable(Math.abs(change))} % ${change > 0 ? 'more' : 'less'} than ${than} (${money(before)})`;
}

/** A heading with its lines, or nothing without any. */
function listed(heading: string, lines: readonly string[], total = lines.length): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, LISTED);
  const rest = total > shown.length ? [`  and ${readable(total - shown.length)} more`] : [];
  return ['', heading, ...shown.map((line) => `  ${line}`), ...rest];
}

function sessionLine(session: Session, timezone: string): string {
  const { cost_nusd, user_id, project_id, model, started_at } = session;
  const names = [user_id, project_id, model].map(nameOf).join(', ');
  const start = Temporal.Instant.fromEpochMilliseconds(started_at.getTime()).toZonedDateTimeISO(timezone);
  return `${money(usd4(cost_nusd))}: ${names}, ${dayOf(start.toPlainDate())} ${start.toPlainTime().toString({ smallestUnit: 'minute' })}`;
}

function budgetLine({ name, metric, current, threshold, utilization_pct, window }: BudgetView): string {
  const amount = (value: number) => (metric === 'cost_usd' ? money(value) : `${readable(value)} ${metric}`);
  return `“${nameOf(name)}” (${window}): ${readable(Math.round(utilization_pct))} %, ${amount(current)} of ${amount(threshold)}`;
}

function anomalyLine({ anomaly_type, user_id, deviation_pct }: Anomaly): string {
  return `${anomaly_type.replaceAll('_', ' ')} of “${nameOf(user_id)}”, ${readable(Math.round(deviation_pct))} % above usual`;
}

function webhookLine({ url }: Webhook): string {
  return oneLine(new URL(url).host || url, NAME);
}

function nameOf(name: string): string {
  return oneLine(name, NAME);
}

function daysOf({ firstDay, lastDay }: DigestPeriod): string {
  return firstDay.equals(lastDay) ? dayOf(lastDay) : `${dayOf(firstDay)} to ${dayOf(lastDay)}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** `Mon 23 Nov 2026`. */
function dayOf({ dayOfWeek, day, month, year }: Temporal.PlainDate): string {
  return `${DAYS[dayOfWeek - 1]} ${day} ${MONTHS[month - 1]} ${year}`;
}

const MONEY = dollars(2);
const SMALL_MONEY = dollars(4);

/** US dollars: 2 decimals, up to 4 below one cent. */
function money(usd: number): string {
  return (usd !== 0 && Math.abs(usd) < 0.01 ? SMALL_MONEY : MONEY).format(usd);
}
