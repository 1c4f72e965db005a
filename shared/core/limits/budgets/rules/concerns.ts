import type { Concerns } from '../../../events/record/concerns.ts';
import type { Budget } from './model.ts';

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
