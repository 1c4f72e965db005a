import { dateAt } from '../../../../platform/basics/clock.ts';
import { type DomainError, invalid } from '../../../../platform/basics/errors.ts';
import { given } from '../../../../platform/basics/given.ts';
import { DAY_MS } from '../../../../platform/basics/interval.ts';
import type { Organization } from '../../../accounts/organizations/model.ts';
import { timezoneAt } from '../../../accounts/organizations/read-organization.ts';
import { nusdFromUsd } from '../../../pricing/money.ts';
import type { Calendar } from '../rules/counted.ts';
import { type BudgetFilter, canonicalFilter } from '../rules/filter.ts';
import type { BudgetChange, BudgetInput } from '../rules/input.ts';
import {
  type Budget,
  type BudgetMetric,
  type BudgetPer,
  isMuted,
  mayRefuseUnpriced,
} from '../rules/model.ts';
import { inputOf } from '../rules/view.ts';
import { dateIn } from '../rules/windows.ts';

/** Which fields raise a budget's revision when they change. */
export const DECISIVE_FIELDS = [
  'scope',
  'scope_id',
  'filter',
  'per',
  'metric',
  'limit',
  'window',
  'timezone',
  'fiscal_start_month',
  'rolling_days',
  'starts_on',
] as const;

/** Which fields may change without that. */
export const OTHER_FIELDS = [
  'name',
  'enforce',
  'on_error',
  'unpriced',
  'reservation_share_pct',
  'owner',
  'muted_until',
] as const;

type DecidedField = (typeof DECISIVE_FIELDS)[number] | (typeof OTHER_FIELDS)[number];

const SHARE_PCT = 25;

/** Checks a budget's input and fills in the defaults. Pure. Throws `invalid_request`. */
export function decideFields(
  organization: Organization,
  input: BudgetInput,
  nowMs: number,
): Pick<Budget, DecidedField> {
  const { name, scope, metric, threshold } = input;
  return {
    name,
    scope,
    scope_id: knownScopeId(organization, input),
    filter: filterOf(input),
    per: perOf(input),
    metric,
    limit: limitOf(metric, threshold),
    ...calendarOf(input, input.timezone ?? timezoneAt(organization, nowMs), nowMs),
    enforce: input.enforce ?? 'none',
    on_error: input.on_error ?? 'allow',
    unpriced: unpricedOf(input),
    reservation_share_pct: input.reservation_share_pct ?? SHARE_PCT,
    owner: input.owner ?? null,
    muted_until: mutedUntil(input, nowMs),
  };
}

/** Organizations and teams have a registry; users and projects are free text (docs/budgets.md). */
function knownScopeId(organization: Organization, { scope, scope_id }: BudgetInput): string {
  const id = scope_id ?? (scope === 'org' ? organization._id : undefined);
  if (id === undefined) throw refused('scope_id', `is needed for the scope ${scope}`);
  if (scope === 'org' && id !== organization._id) throw refused('scope_id', 'is no organization of this key');
  if (scope === 'team' && !organization.teams.includes(id))
    throw refused('scope_id', 'is no team of this organization');
  return id;
}

function filterOf({ filter, metric }: BudgetInput): BudgetFilter | null {
  if (!filter) return null;
  if (metric === 'sessions')
    throw refused('filter', 'does not go with the metric sessions: a session is not of one model');
  return canonicalFilter(filter);
}

function perOf({ per, scope, window }: BudgetInput): BudgetPer | null {
  if (!per) return null;
  if (scope !== 'org' && scope !== 'team')
    throw refused('per', 'goes with the scopes org and team: it counts each of their users apart');
  if (window === 'rolling')
    throw refused('per', 'does not go with the window rolling: choose one of the calendar, or total');
  return per;
}

function unpricedOf({ unpriced, metric, enforce = 'none' }: BudgetInput): 'refuse' | null {
  if (unpriced && !mayRefuseUnpriced({ metric, enforce }))
    throw refused('unpriced', 'goes with hard budgets of cost_usd only');
  return unpriced === 'refuse' ? 'refuse' : null;
}

const LONGEST_MUTE_MS = 366 * DAY_MS;

function mutedUntil({ muted_until }: BudgetInput, nowMs: number): Date | null {
  if (!muted_until) return null;
  if (muted_until <= nowMs) throw refused('muted_until', 'must lie ahead; null ends the silence');
  if (muted_until > nowMs + LONGEST_MUTE_MS) throw refused('muted_until', 'may be at most a year ahead');
  return dateAt(muted_until);
}

const OWN_FIELDS = {
  quarterly: 'fiscal_start_month',
  rolling: 'rolling_days',
  total: 'starts_on',
} as const;

function calendarOf(input: BudgetInput, timezone: string, nowMs: number): Required<Calendar> {
  const { window, fiscal_start_month, rolling_days } = input;
  for (const [of, field] of Object.entries(OWN_FIELDS))
    if (of !== window && (input[field] ?? null) !== null)
      throw refused(field, `goes with the window ${of} only`);
  if (window === 'rolling' && !rolling_days)
    throw refused('rolling_days', 'is needed for the window rolling');
  return {
    window,
    timezone,
    fiscal_start_month: window === 'quarterly' ? (fiscal_start_month ?? 1) : null,
    rolling_days: rolling_days ?? null,
    starts_on: window === 'total' ? firstDay(input, dateIn(timezone, nowMs)) : null,
  };
}

const LONGEST_YEARS = 10;

function firstDay({ starts_on }: BudgetInput, today: Temporal.PlainDate): string {
  if (!starts_on) return today.toString();
  const date = Temporal.PlainDate.from(starts_on);
  if (Temporal.PlainDate.compare(date, today) > 0) throw refused('starts_on', 'must not lie ahead');
  if (Temporal.PlainDate.compare(date, today.subtract({ years: LONGEST_YEARS })) < 0)
    throw refused('starts_on', 'may be at most ten years ago');
  return starts_on;
}

/** A posted threshold in the unit that usage is counted in. Throws `invalid_request`. */
export function limitOf(metric: BudgetMetric, threshold: number): number {
  const limit = metric === 'cost_usd' ? nusdFromUsd(threshold) : threshold;
  if (limit === null || limit > Number.MAX_SAFE_INTEGER) {
    const most = metric === 'cost_usd' ? '9,007,199 US dollars' : '9,007,199,254,740,991';
    throw refused('threshold', `may be at most ${most}`);
  }
  // Usage in per cent of less would be infinite.
  if (limit < (metric === 'cost_usd' ? 1 : 1e-9)) throw refused('threshold', 'must be at least a billionth');
  return limit;
}

function refused(field: string, detail: string): DomainError {
  return invalid(`The budget is not valid: ${field} ${detail}.`, `/${field}`, detail);
}

/**
 * The input of a changed budget. Omitted fields keep their value; a changed scope drops `scope_id`, a changed window the field that
 * belongs to the one before, `unpriced` goes where the budget is no longer a hard one of cost, and a silence that is over goes.
 */
export function changedInput(budget: Budget, change: BudgetChange, nowMs: number): BudgetInput {
  const {
    scope_id,
    fiscal_start_month,
    rolling_days,
    starts_on,
    unpriced,
    muted_until: _,
    ...rest
  } = inputOf(budget);
  const isKept = change.scope === undefined || change.scope === budget.scope;
  const hasSameWindow = change.window === undefined || change.window === budget.window;
  const { metric = budget.metric, enforce = budget.enforce } = change;
  return {
    ...rest,
    ...(isKept ? { scope_id } : {}),
    ...(hasSameWindow ? { fiscal_start_month, rolling_days, starts_on } : {}),
    ...(mayRefuseUnpriced({ metric, enforce }) ? { unpriced } : {}),
    ...(isMuted(budget, nowMs) ? { muted_until: budget.muted_until?.getTime() } : {}),
    ...given(change),
  };
}
