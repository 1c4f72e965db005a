import type { Concerns } from '../../../events/record/concerns.ts';
import type { NewEvent } from '../../../events/record/new-event.ts';
import { type Budget, isMuted } from './model.ts';

/** The things and people that an event of a budget is about: the budget, and the team, project or person whose usage it counts. */
export function concernsOf({ _id, scope, scope_id }: Pick<Budget, '_id' | 'scope' | 'scope_id'>): Concerns {
  const budgets = [_id];
  switch (scope) {
    case 'org':
      return { budgets };
    case 'team':
      return { budgets, teams: [scope_id] };
    case 'project':
      return { budgets, projects: [scope_id] };
    case 'user':
      return { budgets, people: [scope_id] };
  }
}

/** The fields of an event of a budget, raised at `nowMs` (epoch), that decide who gets it. Pure. */
export function addressOf(
  budget: Budget,
  nowMs: number,
): Pick<NewEvent, 'concerns' | 'is_muted' | 'owner_id' | 'is_kept'> {
  const { owner } = budget;
  const concerns = concernsOf(budget);
  if (isMuted(budget, nowMs)) return { concerns, is_muted: true };
  if (!owner) return { concerns };
  return 'webhook_id' in owner ? { concerns, owner_id: owner.webhook_id } : { concerns, is_kept: true };
}
