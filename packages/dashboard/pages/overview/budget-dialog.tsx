import { Modal } from '@mantine/core';
import { useFilters } from '../../data/use-range.ts';
import { BudgetForm } from '../../parts/budget/form.tsx';
import { plainName } from '../../parts/text/plain-name.ts';
import { useNames } from '../../parts/text/user-name.tsx';

/** The form of a new budget of what the page is filtered by: a user, a project or a team, else the whole organization. */
export function BudgetDialog({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Create a budget" size="lg">
      <BudgetForm from={useBudgetOf()} onDone={onClose} />
    </Modal>
  );
}

/** The fields that the filters say. */
function useBudgetOf() {
  const { user_id, project_id, team } = useFilters();
  const names = useNames();
  const of = (scope: 'user' | 'project' | 'team', scope_id: string, shown: string) => ({
    scope,
    scope_id,
    name: `Budget of ${shown}`.slice(0, 256),
  });
  if (user_id) return of('user', user_id, names.get(user_id) ?? plainName(user_id));
  if (project_id) return of('project', project_id, plainName(project_id));
  if (team) return of('team', team, plainName(team));
  return { scope: 'org' as const, name: 'Budget of the organization' };
}
