import {
  Anchor,
  Button,
  Grid,
  Group,
  NativeSelect,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useMe } from '../data/me.ts';
import { anomaliesQuery, budgetsQuery, usageQuery } from '../data/queries.ts';
import { type FilterName, useChangeSearch, useFilters, useRange } from '../data/range.ts';
import { figure, RULES } from '../parts/anomaly-rules.ts';
import { BudgetBar } from '../parts/budget-bar.tsx';
import { ChartCard, type ChartContent } from '../parts/chart-card.tsx';
import { Empty } from '../parts/empty.tsx';
import { bucketLabel, money } from '../parts/format.ts';
import { Load } from '../parts/load.tsx';
import { Page } from '../parts/page.tsx';
import { RangeBar } from '../parts/range-bar.tsx';
import { type GroupedUsage, UsageTiles } from '../parts/usage-tiles.tsx';
import { UserName } from '../parts/user-name.tsx';
import { When } from '../parts/when.tsx';

const SPLITS = { model: 'Model', adapter: 'Tool', project_id: 'Project' } as const;
type Split = keyof typeof SPLITS;

/** What it costs, who spends it, and what needs attention. */
export function Overview() {
  const { org } = useMe();
  const range = useRange();
  const filters = useFilters();
  const { split: chosen } = useSearch({ strict: false }) as { split?: string };
  const split: Split = chosen !== undefined && chosen in SPLITS ? (chosen as Split) : 'model';
  const asked = { ...range.query, interval: range.interval, ...filters };
  const series = { ...asked, series: 'groups' } as const;
  const usage = useQuery(usageQuery(asked));
  const before = useQuery(usageQuery({ ...range.before, ...filters }));
  const bySplit = useQuery(usageQuery({ ...series, group_by: split }));
  const byUser = useQuery(usageQuery({ ...series, group_by: 'user_id', top: '5' }));
  const byProject = useQuery(usageQuery({ ...series, group_by: 'project_id', top: '5' }));
  const byModel = useQuery(usageQuery({ ...series, group_by: 'model', top: '5' }));
  const isEmpty = usage.data?.totals.signals === 0;
  return (
    <Page title="Overview">
      <RangeBar />
      {isEmpty && <NothingYet />}
      <Load query={usage} height={120}>
        {(data) => (
          <UsageTiles usage={data} before={before.data} activeUsers={byUser.data?.totals.active_users} />
        )}
      </Load>
      <Load query={bySplit} height={340}>
        {(data) => (
          <ChartCard
            title="Cost over time"
            content={costChart(data, split, org.timezone)}
            controls={<SplitSelect split={split} />}
          />
        )}
      </Load>
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        <TopList title="Top users" by="user_id" query={byUser} />
        <TopList title="Top projects" by="project_id" query={byProject} />
        <TopList title="Top models" by="model" query={byModel} />
      </SimpleGrid>
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <BudgetCard />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <AnomalyCard />
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function NothingYet() {
  return (
    <Empty
      action={
        <Button component={Link} to="/connect">
          Connect a tool
        </Button>
      }
    >
      No signal in this range. Once a tool is connected, its cost, tokens and sessions appear here.
    </Empty>
  );
}

function SplitSelect({ split }: { split: Split }) {
  const change = useChangeSearch();
  return (
    <NativeSelect
      size="xs"
      aria-label="Split by"
      value={split}
      onChange={(event) => change({ split: event.currentTarget.value })}
      data={Object.entries(SPLITS).map(([value, label]) => ({ value, label: `By ${label.toLowerCase()}` }))}
    />
  );
}

function costChart(data: GroupedUsage, split: Split, timezone: string): ChartContent {
  return {
    labels: data.series.map(({ start }) => bucketLabel(start, data.interval, timezone)),
    series: data.groups.map(({ key, series = [] }, index) => ({
      name: key === null ? 'All others' : (key[split] ?? 'unknown'),
      colour: key === null ? null : index,
      values: series.map(({ cost_usd }) => cost_usd),
    })),
    format: money,
  };
}

function TopList({
  title,
  by,
  query,
}: {
  title: string;
  by: FilterName;
  query: ReturnType<typeof useQuery<GroupedUsage>>;
}) {
  return (
    <Paper withBorder p="md">
      <Title order={2} mb="sm">
        {title}
      </Title>
      <Load query={query} height={140}>
        {({ groups, totals }) =>
          groups.length === 0 ? (
            <Text c="dimmed">Nothing in this range.</Text>
          ) : (
            <Stack gap={6}>
              {groups.map(({ key, cost_usd }) => (
                <Group key={key?.[by] ?? ''} justify="space-between" wrap="nowrap" gap="sm">
                  {key === null ? (
                    <Text size="sm" c="dimmed">
                      All others
                    </Text>
                  ) : (
                    <SessionsOf by={by} value={key[by] ?? ''} />
                  )}
                  <Text size="sm" className="number">
                    {money(cost_usd)}{' '}
                    <Text span c="dimmed" size="xs">
                      {totals.cost_usd > 0 ? `${Math.round((cost_usd / totals.cost_usd) * 100)} %` : ''}
                    </Text>
                  </Text>
                </Group>
              ))}
            </Stack>
          )
        }
      </Load>
    </Paper>
  );
}

/** A value that leads to its sessions, with range and filters kept. */
function SessionsOf({ by, value }: { by: FilterName; value: string }) {
  const search = useSearch({ strict: false }) as Record<string, string>;
  return (
    <Anchor
      component={Link}
      to="/sessions"
      search={{ ...search, [by]: value } as never}
      size="sm"
      underline="hover"
      className="clip"
    >
      {by === 'user_id' ? <UserName id={value} /> : value}
    </Anchor>
  );
}

function BudgetCard() {
  const budgets = useQuery(budgetsQuery());
  return (
    <Paper withBorder p="md" h="100%">
      <Title order={2} mb="sm">
        Budgets
      </Title>
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
                .slice(0, 5)
                .map((budget) => (
                  <BudgetBar key={budget.id} budget={budget} />
                ))}
            </Stack>
          )
        }
      </Load>
    </Paper>
  );
}

function AnomalyCard() {
  const anomalies = useQuery(anomaliesQuery({ limit: 5 }));
  return (
    <Paper withBorder p="md" h="100%">
      <Title order={2} mb="sm">
        Newest anomalies
      </Title>
      <Load query={anomalies}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">None. A session far above its user’s own past would stand here.</Text>
          ) : (
            <Stack gap={6}>
              {data.map((anomaly) => (
                <Group key={anomaly.id} justify="space-between" gap="sm" wrap="nowrap">
                  <Anchor
                    component={Link}
                    to={`/sessions/${anomaly.session_id}`}
                    size="sm"
                    underline="hover"
                    className="clip"
                  >
                    {RULES[anomaly.anomaly_type].name} of <UserName id={anomaly.user_id} />
                  </Anchor>
                  <Text size="sm" className="number">
                    {figure(anomaly.anomaly_type, anomaly.observed)}{' '}
                    <Text span c="dimmed" size="xs">
                      <When at={anomaly.detected_at} relative />
                    </Text>
                  </Text>
                </Group>
              ))}
            </Stack>
          )
        }
      </Load>
    </Paper>
  );
}
