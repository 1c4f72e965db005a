import { derivedId } from '../platform/basics/ids.ts';
import { filterText } from './filter.ts';
import type { BudgetInForce } from './in-force.ts';
import type { BudgetLevel, CounterKey } from './model.ts';

/** The identity of a counter within its organization. Names of one timezone (`US/Eastern`) share a counter. */
export function counterKey({ scope, scope_id, filter, window, timezone }: CounterKey): string {
  const filtered = filter ? [filterText(filter)] : [];
  return JSON.stringify([scope, scope_id, window, canonicalTimezone(timezone), ...filtered]);
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

/** The scope of a counter as one text. */
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

/** The primary key of a counter's row in one window and one counter shard. */
export function windowKey(orgId: string, counter: string, startMs: number, shard: number): string {
  return derivedId('bwn', orgId, counter, startMs, shard);
}

/** The fields of a budget that tell its firings apart. */
type Fired = Pick<BudgetInForce, '_id' | 'revision' | 'raised'>;

/** The primary key of a firing: one per budget, window, level, revision and limit in force, and one more after each reversal. */
export function firingKey(budget: Fired, startMs: number, level: BudgetLevel, reversals: number): string {
  return derivedId('bfi', ...firingCause(budget, startMs, level, reversals));
}

/** The cause of a level's event, which its id is derived from. */
export function firingCause(
  budget: Fired,
  startMs: number,
  level: BudgetLevel,
  reversals: number,
): readonly (string | number)[] {
  const raised = budget.raised === undefined ? [] : [`+${budget.raised}`];
  const cause = [budget._id, startMs, level, budget.revision, ...raised];
  return reversals === 0 ? cause : [...cause, reversals];
}
