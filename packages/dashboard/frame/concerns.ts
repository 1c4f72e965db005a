import type { SignInProblem } from '../../../shared/core/accounts/identity/me.ts';
import type { Usage } from '../data/groups.ts';
import { groupsBy } from '../data/groups.ts';
import type { Budget, Webhook } from '../data/queries.ts';
import { type Concern, SEVERITIES } from '../hooks/concern.ts';
import { exact, percent } from '../parts/text/format.ts';
import { placeOf } from '../parts/webhook/words.ts';
import { type OwnRefusal, refusesWords } from '../words/refuses.ts';

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

/** A budget that refuses the person's calls and that the person does not see: those that are seen are concerns of their own. */
export function refusalConcerns(refusal: OwnRefusal | null | undefined, zone: string): Concern[] {
  if (!refusal || refusal.name !== null) return [];
  return [
    {
      kind: 'refusal',
      object: refusal.id,
      occurrence: refusal.resets_at ?? refusal.cause,
      severity: 'stop',
      link: refusesWords(refusal, zone),
      to: '/budgets',
      asks: refusal.id,
    },
  ];
}

/** The fields of a budget that its notice is made of. */
type NoticedBudget = Pick<
  Budget,
  'id' | 'name' | 'state' | 'enforce' | 'window_start' | 'revision' | 'utilization_pct'
>;

/** Exceeded budgets. One that refuses calls stops work, and has another notice: that change raises no revision. */
export function budgetConcerns(budgets: readonly NoticedBudget[]): Concern[] {
  return budgets
    .filter(({ state }) => state === 'exceeded')
    .map(({ id, name, enforce, window_start, revision, utilization_pct }) => ({
      kind: 'budget',
      object: id,
      occurrence: `${window_start} ${revision}${enforce === 'hard' ? ' stop' : ''}`,
      severity: enforce === 'hard' ? 'stop' : 'warning',
      link: enforce === 'hard' ? 'A budget refuses calls' : 'A budget is exceeded',
      name,
      note: percent(utilization_pct / 100, 0),
      to: `/budgets/${id}`,
    }));
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
