import type { SignInProblem } from '../../../shared/core/accounts/identity/me.ts';
import type { Usage } from '../data/groups.ts';
import { groupsBy } from '../data/groups.ts';
import type { Budget, HeldPage, RaisesPage, Webhook } from '../data/queries.ts';
import { exact, percent } from '../parts/text/format.ts';
import { placeOf } from '../parts/webhook/words.ts';

/** The most urgent first: work is stopped, somebody should act, somebody may want to know. */
export const SEVERITIES = ['stop', 'warning', 'note'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Something that the frame says above every page. Another occurrence of it is another notice. */
export interface Concern {
  kind: 'sign-in' | 'budget' | 'raise' | 'webhook' | 'held' | 'unpriced';
  object: string;
  occurrence: string;
  severity: Severity;
  /** The words of the link, what it names, and words after that. */
  link: string;
  name?: string;
  note?: string;
  /** A page of the dashboard, or of the guide. */
  to?: string;
  href?: string;
}

const LONGEST_ID = 512;
const MOST_UNPRICED = 0.01;

/** The name by which a notice is dismissed. */
export function noticeOf({ kind, object, occurrence }: Concern): string {
  return `${kind} ${object} ${occurrence}`.slice(0, LONGEST_ID);
}

/** The most urgent first; else in the order in which they are given. */
export function byUrgency(concerns: readonly Concern[]): Concern[] {
  return concerns.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

export function signInConcerns(problem: SignInProblem | null): Concern[] {
  if (!problem) return [];
  const ask = problem.contact ? ` Ask ${problem.contact}.` : '';
  return [
    {
      kind: 'sign-in',
      object: 'service',
      occurrence: problem.detail,
      severity: 'stop',
      link: 'Nobody can sign in now',
      name: `${problem.detail}${ask}`,
      href: '/guide/dashboard#signing-in',
    },
  ];
}

/** Exceeded budgets. One that refuses calls stops work. */
export function budgetConcerns(budgets: readonly Budget[]): Concern[] {
  return budgets
    .filter(({ state }) => state === 'exceeded')
    .map(({ id, name, enforce, window_start, revision, utilization_pct }) => ({
      kind: 'budget',
      object: id,
      occurrence: `${window_start} ${revision}`,
      severity: enforce === 'hard' ? 'stop' : 'warning',
      link: enforce === 'hard' ? 'A budget refuses calls' : 'A budget is exceeded',
      name,
      note: percent(utilization_pct / 100, 0),
      to: `/budgets/${id}`,
    }));
}

/** Requests for more of a budget that wait for an admin; a newer one is another occurrence. */
export function raiseConcerns(waiting: RaisesPage | undefined): Concern[] {
  const [newest] = waiting?.data ?? [];
  if (!waiting || !newest) return [];
  const isOne = waiting.total === 1;
  return [
    {
      kind: 'raise',
      object: 'requests',
      occurrence: newest.id,
      severity: 'warning',
      link: isOne ? 'A request for more waits' : `${exact(waiting.total)} requests for more wait`,
      note: isOne ? 'an admin has to answer it' : 'an admin has to answer them',
      to: isOne ? `/raises/${newest.id}` : '/raises',
    },
  ];
}

export function webhookConcerns(webhooks: readonly Webhook[]): Concern[] {
  return webhooks
    .filter(({ status }) => status === 'failing')
    .map((webhook) => ({
      kind: 'webhook',
      object: webhook.id,
      occurrence: String(webhook.failing_since),
      severity: 'warning',
      link: 'A webhook is failing',
      name: webhook.name ?? webhook.url,
      note: `${exact(webhook.held)} held`,
      to: placeOf(webhook).page,
    }));
}

/** Held signals that nobody has decided about; a newer one is another occurrence. */
export function heldConcerns(held: HeldPage | undefined): Concern[] {
  const [newest] = held?.data ?? [];
  if (!held || !newest) return [];
  const isOne = held.total === 1;
  return [
    {
      kind: 'held',
      object: 'signals',
      occurrence: newest.id,
      severity: 'warning',
      link: isOne ? 'A signal is held' : `${exact(held.total)} signals are held`,
      note: `no figure counts ${isOne ? 'it' : 'them'} until an admin decides`,
      to: '/sessions',
    },
  ];
}

/** Models without a price in the range, where they are more than a few signals. */
export function unpricedConcerns(usage: Usage | undefined): Concern[] {
  if (!usage || usage.totals.signals === 0) return [];
  const share = usage.totals.unpriced_signals / usage.totals.signals;
  if (share <= MOST_UNPRICED) return [];
  const models = groupsBy(usage, 'model').flatMap(({ value, unpriced_signals }) =>
    unpriced_signals > 0 ? [value ?? 'others'] : [],
  );
  return [
    {
      kind: 'unpriced',
      object: 'models',
      occurrence: models.toSorted().join(' '),
      severity: 'note',
      link: `${percent(share)} of the calls in this range have no price, so the true cost is higher`,
      name: models.join(', '),
    },
  ];
}
