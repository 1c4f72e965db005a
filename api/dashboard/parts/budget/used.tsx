import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Amount } from '../text/count.tsx';
import type { Budget } from './bar.tsx';
import { sessionsSearch } from './words.ts';

/** What is used of a budget, which leads to the sessions that used it. */
export function BudgetUsed({ budget }: { budget: Budget }) {
  const search = sessionsSearch(budget);
  const used = <Amount metric={budget.metric} of={budget.current} />;
  if (!search) return used;
  return (
    <Anchor component={Link} to="/sessions" search={search as never} inherit>
      {used}
    </Anchor>
  );
}
