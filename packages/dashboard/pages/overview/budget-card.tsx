import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { budgetsQuery } from '../../data/queries.ts';
import { BudgetBar, GaugeLegend } from '../../parts/budget/bar.tsx';
import { Load } from '../../parts/page/load.tsx';
import { Section } from '../../parts/page/section.tsx';
import { PageLink } from '../../parts/text/page-link.tsx';

const SHOWN = 5;

/** The budgets with the least left, and a link to all. */
export function BudgetCard() {
  // The banners ask for them anew.
  const budgets = useQuery({ ...budgetsQuery(), refetchInterval: false });
  return (
    <Section title="Budgets" aside={<PageLink to="/budgets">All budgets</PageLink>} h="100%">
      <Load query={budgets}>
        {(data) =>
          data.length === 0 ? (
            <Text c="dimmed">
              No budget yet.{' '}
              <Anchor component={Link} to="/budgets">
                Budgets
              </Anchor>{' '}
              warn before money is gone.
            </Text>
          ) : (
            <Stack gap="md">
              {[...data]
                .sort((a, b) => b.utilization_pct - a.utilization_pct)
                .slice(0, SHOWN)
                .map((budget) => (
                  <BudgetBar key={budget.id} budget={budget} />
                ))}
              <GaugeLegend />
            </Stack>
          )
        }
      </Load>
    </Section>
  );
}
