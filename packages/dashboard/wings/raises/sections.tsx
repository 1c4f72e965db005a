import { Button } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import type { PageSection } from '../../hooks/wing.ts';

/** The buttons of a budget: to ask for more of it, and its raises. */
function OfBudget() {
  const { id: budget = '' } = useParams({ strict: false });
  const search = { budget } as never;
  return (
    <>
      <Button component={Link} to="/raise" search={search} variant="default">
        Ask for more
      </Button>
      <Button component={Link} to="/raises" search={search} variant="default">
        Raises
      </Button>
    </>
  );
}

function AllRaises() {
  return (
    <Button component={Link} to="/raises" variant="default">
      Raises
    </Button>
  );
}

export const raises: readonly PageSection[] = [
  { at: 'budgets actions', Content: AllRaises },
  { at: 'budget actions', Content: OfBudget },
];
