import { derivedId, hashedKey } from '../../../../platform/basics/ids.ts';
import type { Interval } from '../../../../platform/basics/interval.ts';
import type { CounterKey } from './counted.ts';
import { filterText } from './filter.ts';
import type { BudgetInForce } from './in-force.ts';
import type { Budget, BudgetLevel } from './model.ts';
import { calendarKey } from './windows.ts';

/** The identity of a counter within its organization. Names of one timezone (`US/Eastern`) share a counter. */
export function counterKey({ scope, scope_id, filter, per, ...calendar }: CounterKey): string {
  const filtered = filter ? [filterText(filter)] : [];
  const apart = per ? [per] : [];
  return JSON.stringify([
    scope,
    scope_id,
    calendarKey(calendar),
    canonicalTimezone(calendar.timezone),
    ...filtered,
    ...apart,
  ]);
}

/** One entry per name of a timezone. */
const canonicalNames = new Map<string, string>();

function canonicalTimezone(timezone: string): string {
  const known = canonicalNames.get(timezone);
  if (known) return known;
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions();
  canonicalNames.set(timezone, timeZone);
  return timeZone;
}

export function scopeKey({ scope, scope_id }: Pick<CounterKey, 'scope' | 'scope_id'>): string {
  return `${scope} ${scope_id}`;
}

/** The scopes (`scopeKey`) that one call counts in. A team is its present members; without a user there is no team. */
export function scopesOf(
  teamsOf: ReadonlyMap<string, readonly string[]>,
  { orgId, userId, projectId }: { orgId: string; userId: string | null; projectId: string },
): string[] {
  const teams = userId === null ? [] : (teamsOf.get(userId) ?? []);
  return [
    { scope: 'org' as const, scope_id: orgId },
    ...(userId === null ? [] : [{ scope: 'user' as const, scope_id: userId }]),
    { scope: 'project' as const, scope_id: projectId },
    ...teams.map((team) => ({ scope: 'team' as const, scope_id: team })),
  ].map(scopeKey);
}

export function windowKey(orgId: string, counter: string, startMs: number, shard: number): string {
  return derivedId('bwn', orgId, counter, startMs, shard);
}

/** The name of one person's window of a template's counter, over all counter shards. */
export function personWindowKey(orgId: string, counter: string, startMs: number, person: string): string {
  return derivedId('bwn', orgId, counter, startMs, 'person', person);
}

/** The primary key of the row of such a window in one counter shard. */
export function personRowKey(window: string, shard: number): string {
  return `${window}/${shard}`;
}

/** The name of the window whose row has this key. */
export function personWindowOf(row: string): string {
  return row.slice(0, row.lastIndexOf('/'));
}

/** The primary key of a person's exception from a template. */
export function overrideKey(budgetId: string, userId: string): string {
  return `${budgetId}/${hashedKey(24, userId)}`;
}

/** The fields of a budget that tell its firings apart. */
type Fired = Pick<BudgetInForce, '_id' | 'revision' | 'raised'> &
  Partial<Pick<Budget, 'per' | 'scope_id' | 'limit'>>;

/** The primary key of a firing: one per budget, person of a template, window, level, revision and limit in force, and one more after each reversal. */
export function firingKey(budget: Fired, startMs: number, level: BudgetLevel, reversals: number): string {
  return derivedId('bfi', ...firingCause(budget, startMs, level, reversals));
}

/** The part of a cause that names the person of a template. */
export function personCause({ per, scope_id }: Partial<Pick<Budget, 'per' | 'scope_id'>>): string[] {
  return per && scope_id !== undefined ? ['person', scope_id] : [];
}

/** The cause of a level's event, which its id is derived from. */
export function firingCause(
  budget: Fired,
  startMs: number,
  level: BudgetLevel,
  reversals: number,
): readonly (string | number)[] {
  const raised = budget.raised === undefined ? [] : [`+${budget.raised}`];
  // A person's own threshold may change within a revision of the template.
  const person = budget.per ? [...personCause(budget), budget.limit ?? ''] : [];
  const cause = [budget._id, startMs, level, budget.revision, ...person, ...raised];
  return reversals === 0 ? cause : [...cause, reversals];
}

/** The name of a budget's window, of a template that of one person: a channel gets its highest level only. */
export function levelOf(budget: Pick<Budget, '_id' | 'per' | 'scope_id'>, { startMs }: Interval): string {
  return [budget._id, startMs, ...personCause(budget)].join(' ');
}
