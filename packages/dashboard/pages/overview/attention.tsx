import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { anomaliesQuery, budgetsQuery, NEWEST } from '../../data/queries.ts';
import { BudgetBar, GaugeLegend } from '../../parts/budget/bar.tsx';
import { Load } from '../../parts/page/load.tsx';
import { Section } from '../../parts/page/section.tsx';
import { PageLink } from '../../parts/text/page-link.tsx';
import { UserName } from '../../parts/text/user-name.tsx';
import { When } from '../../parts/time/when.tsx';
import { AnomalyFigure, RULES } from '../../parts/usage/anomaly.tsx';

const SHOWN = 5;
/** Also asked for whenever usage has changed. */
const ANOMALIES_MS = 300_000;

/** The budgets with the least left, and a link to all. */
export function BudgetCard() {
  // The banners ask for them anew.
  const budgets = useQuery({ ...budgetsQuery(), refetchInterval: false });
  return (
    <Section title="Budgets" aside={<PageLink to="/budgets">All budgets</PageLink>} h="100%">
      <Load query={budgets}>
        {({ data }) =>
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

/** The newest anomalies, and a link to all. */
export function AnomalyCard() {
  const anomalies = useQuery({ ...anomaliesQuery(NEWEST), refetchInterval: ANOMALIES_MS });
  return (
    <Section title="Newest anomalies" aside={<PageLink to="/anomalies">All anomalies</PageLink>} h="100%">
      <Load query={anomalies}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">None. A session far above its user’s own past appears here.</Text>
          ) : (
            <Stack gap={6}>
              {data.map((anomaly) => (
                <Group key={anomaly.id} justify="space-between" gap="sm" wrap="nowrap">
                  <PageLink to={`/sessions/${anomaly.session_id}`} className="clip">
                    {RULES[anomaly.anomaly_type].name} of <UserName id={anomaly.user_id} />
                  </PageLink>
                  <Text size="sm" className="number">
                    <AnomalyFigure of={anomaly} value={anomaly.observed} />{' '}
                    <Text span c="dimmed" size="xs">
                      seen <When at={anomaly.detected_at} />
                    </Text>
                  </Text>
                </Group>
              ))}
            </Stack>
          )
        }
      </Load>
    </Section>
  );
}
