import { Button, Group, Modal, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Budget } from '../data/queries.ts';
import { budgetsQuery } from '../data/queries.ts';
import { useDialog } from '../data/use-dialog.ts';
import { useIsAdmin } from '../data/use-me.ts';
import { BudgetUsed, usedPercent } from '../parts/budget/bar.tsx';
import { RaisedUntil, Stop } from '../parts/budget/enforcement.tsx';
import { BudgetForm } from '../parts/budget/form.tsx';
import { peopleWords } from '../parts/budget/people-words.ts';
import { reservedOf, StandingBar, StandingLegend } from '../parts/budget/standing-bar.tsx';
import { windowWords } from '../parts/budget/window-inputs.tsx';
import { forecastWords, scopeWords } from '../parts/budget/words.ts';
import { Load } from '../parts/page/load.tsx';
import { Page } from '../parts/page/page.tsx';
import { Empty } from '../parts/page/section.tsx';
import { RefusesYou } from '../parts/refusal/refuses-you.tsx';
import { amount } from '../parts/text/format.ts';
import { Name } from '../parts/text/name.tsx';
import { PageLink } from '../parts/text/page-link.tsx';
import { State } from '../parts/text/state.tsx';
import { useNames } from '../parts/text/user-name.tsx';
import { When } from '../parts/time/when.tsx';
import { SectionsOfWings } from '../wings/sections.tsx';

/** How much is left, and whether it will last. */
export function Budgets() {
  const budgets = useQuery(budgetsQuery());
  const isAdmin = useIsAdmin();
  const [isOpen, { open, close }] = useDialog('budget');
  const create = isAdmin && <Button onClick={open}>Create a budget</Button>;
  return (
    <Page
      title="Budgets"
      lead="A budget warns at 80 % and again at 100 %, once per window."
      actions={
        <Group gap="sm">
          <SectionsOfWings at="budgets actions" />
          {create}
        </Group>
      }
    >
      <RefusesYou />
      <Load query={budgets} height={300}>
        {(data) =>
          data.length === 0 ? (
            <Empty action={create}>
              {isAdmin
                ? 'No budget yet. A budget for a team, a project or a person warns before its money is gone.'
                : 'No budget counts you alone. Budgets for you alone appear here; admins see all.'}
            </Empty>
          ) : (
            <Stack>
              <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
                {worstFirst(data).map((budget) => (
                  <BudgetCard key={budget.id} budget={budget} />
                ))}
              </SimpleGrid>
              <StandingLegend of={data} />
            </Stack>
          )
        }
      </Load>
      <Modal opened={isOpen} onClose={close} title="Create a budget" size="lg">
        <BudgetForm onDone={close} />
      </Modal>
    </Page>
  );
}

/** Those that need somebody come first. Pure. */
function worstFirst(budgets: readonly Budget[]): Budget[] {
  return budgets.toSorted((a, b) => b.utilization_pct - a.utilization_pct || a.name.localeCompare(b.name));
}

function BudgetCard({ budget }: { budget: Budget }) {
  const { id, name, metric, threshold_now, remaining, window_end, state } = budget;
  const names = useNames();
  const people = peopleWords(budget, names);
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <PageLink to={`/budgets/${id}`} fw={600} className="clip">
          <Name of={name} />
        </PageLink>
        <Text size="sm" c="dimmed" className="wrap">
          {scopeWords(budget, names)}, {windowWords(budget)}
        </Text>
        <StandingBar budget={budget} />
        {people && <Text size="sm">{people}</Text>}
        <Text size="sm">
          <State of={state} /> · <BudgetUsed budget={budget} /> of {amount(metric, threshold_now)} (
          {usedPercent(budget)})
          <RaisedUntil budget={budget} />
        </Text>
        <Text size="sm">
          {amount(metric, remaining)} left
          {reservedOf(budget) > 0 && `, ${amount(metric, reservedOf(budget))} of it reserved`}
          {window_end !== null && (
            <>
              , until <When at={window_end} />
            </>
          )}
        </Text>
        <Stop budget={budget} />
        <Text size="sm">{forecastWords(budget)}</Text>
      </Stack>
    </Paper>
  );
}
