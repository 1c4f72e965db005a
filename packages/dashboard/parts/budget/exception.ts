import type { AnswerOf } from '../../data/client.ts';
import type { Budget } from '../../data/queries.ts';

export type Person = AnswerOf<'/api/v1/budgets/{id}/people'>['data'][number];

/** The limits that one person of a template may have, in words. */
export const EXCEPTIONS = {
  own: 'Another threshold',
  exempt: 'No limit for this person',
  none: 'As everybody',
};

/** The limit of one person, as a form has it. */
export interface Exception {
  user_id: string;
  rule: keyof typeof EXCEPTIONS;
  threshold: number;
}

/** The limit of a person without what is raised for a time. Pure. */
export function exceptionOf(
  { user_id, threshold, exempt }: Pick<Person, 'user_id' | 'threshold' | 'exempt'>,
  budget: Pick<Budget, 'threshold'>,
): Exception {
  const isOwn = threshold !== null && threshold !== budget.threshold;
  const rule = exempt ? 'exempt' : isOwn ? 'own' : 'none';
  return { user_id, rule, threshold: threshold ?? budget.threshold };
}
