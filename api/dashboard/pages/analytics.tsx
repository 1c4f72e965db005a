import { NativeSelect, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { api, take } from '../data/client.ts';
import { useMe } from '../data/me.ts';
import { useChangeSearch } from '../data/range.ts';
import type { operations } from '../data/schema.d.ts';
import { compact, exact, money } from '../parts/format.ts';
import { Load } from '../parts/load.tsx';
import { Page } from '../parts/page.tsx';
import { Wide } from '../parts/wide.tsx';

type Answer = operations['get_api_v1_org_orgId_analytics']['responses'][200]['content']['application/json'];
type Cell = Answer['cells'][number];

const DIMENSIONS: Record<Answer['dimension'], string> = {
  none: 'Whole organization',
  model: 'Model',
  adapter: 'Tool',
  project: 'Project',
  team: 'Team',
  hour_of_week: 'Hour of the week',
};
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** How the organization works by weeks, in which no member can be told apart. */
export function Analytics() {
  const { org } = useMe();
  const search = useSearch({ strict: false }) as { dimension?: string };
  const change = useChangeSearch();
  const dimension = (Object.keys(DIMENSIONS) as Answer['dimension'][]).find(
    (name) => name === search.dimension,
  );
  const asked = dimension ?? 'model';
  const analytics = useQuery({
    queryKey: ['analytics', asked],
    queryFn: () =>
      take(
        api.GET('/api/v1/org/{orgId}/analytics', {
          params: { path: { orgId: org.id }, query: { dimension: asked } },
        }),
      ),
    staleTime: 300_000,
  });
  return (
    <Page
      title="Analytics"
      lead="Whole weeks that are over. What fewer people share than the organization’s floor is hidden."
    >
      <NativeSelect
        label="By"
        maw={240}
        value={asked}
        onChange={(event) => change({ dimension: event.currentTarget.value })}
        data={Object.entries(DIMENSIONS).map(([value, label]) => ({ value, label }))}
      />
      <Load query={analytics} height={300}>
        {(data) => (
          <Stack>
            <Cells
              title="Weeks"
              rows={data.trend.map((week) => [week.start.slice(0, 10), week])}
              k={data.k}
            />
            {asked !== 'none' && (
              <Cells
                title={DIMENSIONS[asked]}
                rows={data.cells.map((cell) => [keyWords(asked, cell), cell])}
                k={data.k}
              />
            )}
          </Stack>
        )}
      </Load>
    </Page>
  );
}

function keyWords(dimension: Answer['dimension'], { key }: Cell): string {
  const value = key[dimension];
  if (value === null || value === undefined) return 'without';
  if (dimension !== 'hour_of_week') return String(value);
  const hour = Number(value);
  return `${DAYS[Math.floor(hour / 24)] ?? ''} ${String(hour % 24).padStart(2, '0')}:00`;
}

type Figures = Extract<Answer['trend'][number], { active_users: number }>;

/** Rows of figures. One that is hidden is hatched and says why; it is never a zero. */
function Cells({
  title,
  rows,
  k,
}: {
  title: string;
  rows: readonly (readonly [string, object])[];
  k: number;
}) {
  return (
    <Paper withBorder p="md">
      <Title order={2} mb="sm">
        {title}
      </Title>
      {rows.length === 0 ? (
        <Text c="dimmed">No week is told yet: a week appears a day after its end.</Text>
      ) : (
        <Wide label={`${title}, table`}>
          <Table aria-label={title} verticalSpacing={4} miw={640}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{title}</Table.Th>
                {['Users', 'Sessions', 'Signals', 'Errors', 'Tokens', 'Cost'].map((label) => (
                  <Table.Th key={label} className="number" scope="col">
                    {label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(([label, cell]) => (
                <Table.Tr key={label}>
                  <Table.Th scope="row" className="wrap">
                    {label}
                  </Table.Th>
                  <CellFigures cell={cell} k={k} />
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Wide>
      )}
    </Paper>
  );
}

function CellFigures({ cell, k }: { cell: object; k: number }) {
  if ('pending' in cell)
    return (
      <Table.Td colSpan={6} c="dimmed">
        not published yet: a week appears a day after its end
      </Table.Td>
    );
  if (!('active_users' in cell))
    return (
      <Table.Td colSpan={6} className="hatched">
        <span className="on-hatching">fewer than {k}, or one person dominates</span>
      </Table.Td>
    );
  const { active_users, sessions, signals, errors, tokens_in, tokens_out, cost_usd } = cell as Figures;
  return [
    exact(active_users),
    exact(sessions),
    exact(signals),
    exact(errors),
    compact(tokens_in + tokens_out),
    money(cost_usd),
  ].map((figure, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: columns in a fixed order.
    <Table.Td key={index} className="number">
      {figure}
    </Table.Td>
  ));
}
