import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Budget, budgetUsageQuery, type WindowUsage } from '../../data/queries.ts';
import { budgetLabel, dateTime } from '../../words/time.ts';
import { FigureTable } from '../chart/figure-table.tsx';
import { Load } from '../page/load.tsx';
import { type Column, Rows } from '../page/rows.tsx';
import { Section } from '../page/section.tsx';
import { amount, percent } from '../text/format.ts';
import { UserName } from '../text/user-name.tsx';
import { Amount } from '../text/values.tsx';
import { useZone } from '../time/when.tsx';
import { windowsQuery } from './history.tsx';
import { labelInterval, RunningTotal } from './running-total.tsx';

/** Ended windows that may be looked at. */
const KEPT_MS = 35 * 86_400_000;

/** One window of a budget: how its total grew towards the threshold, and who used it. */
export function BudgetUsage({ budget }: { budget: Budget }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const start = chosen ?? budget.window_start;
  const usage = useQuery(budgetUsageQuery(budget.id, start));
  return (
    <Load query={usage} height={320}>
      {(data) => (
        <>
          <Growth
            budget={budget}
            usage={data}
            choice={<WindowChoice budget={budget} start={start} onChange={setChosen} />}
          />
          <Users budget={budget} users={data.users} />
        </>
      )}
    </Load>
  );
}

function WindowChoice({
  budget,
  start,
  onChange,
}: {
  budget: Budget;
  start: string;
  onChange: (start: string | null) => void;
}) {
  const zone = useZone();
  const windows = useQuery(windowsQuery(budget));
  const before = (windows.data?.data ?? []).filter(
    ({ start: one, end }) =>
      one !== budget.window_start && end !== null && Date.parse(end) > Date.now() - KEPT_MS,
  );
  if (before.length === 0) return null;
  return (
    <NativeSelect
      aria-label="Window"
      size="xs"
      value={start}
      onChange={({ currentTarget: { value } }) => onChange(value === budget.window_start ? null : value)}
      data={[
        { value: budget.window_start, label: 'This window' },
        ...before.map(({ start: value }) => ({ value, label: `From ${startLabel(budget, value, zone)}` })),
      ]}
    />
  );
}

function startLabel({ window, timezone }: Budget, start: string, zone: string): string {
  return window === 'hourly'
    ? dateTime(start, zone)
    : budgetLabel(start, 'day', { budget: timezone, page: zone });
}

function Growth({ budget, usage, choice }: { budget: Budget; usage: WindowUsage; choice: React.ReactNode }) {
  const [asTable, setAsTable] = useState(false);
  const zone = useZone();
  const { metric, timezone, name } = budget;
  const title = 'Used in the window';
  const interval = labelInterval(usage);
  return (
    <Section
      title={title}
      aside={
        <Group gap="sm">
          {choice}
          <Button size="compact-sm" variant="default" onClick={() => setAsTable(!asTable)}>
            {asTable ? 'Show as chart' : 'Show as table'}
          </Button>
        </Group>
      }
    >
      {asTable ? (
        <FigureTable
          title={title}
          content={{
            labels: usage.points.map(({ start }) =>
              budgetLabel(start, interval, { budget: timezone, page: zone }),
            ),
            series: [
              { name: 'Used', colour: 0, values: usage.points.map(({ used }) => used) },
              { name: 'In all', colour: 1, values: usage.points.map(({ total }) => total) },
            ],
            format: (value) => amount(metric, value),
          }}
        />
      ) : (
        <RunningTotal label={`${title}: ${name}`} budget={budget} usage={usage} />
      )}
    </Section>
  );
}

type User = WindowUsage['users'][number];

function Users({ budget: { metric }, users }: { budget: Budget; users: readonly User[] }) {
  const whole = users.reduce((sum, { used }) => sum + used, 0);
  const columns: readonly Column<User>[] = [
    {
      label: 'User',
      isHeading: true,
      narrow: 'first',
      render: ({ user_id }) => (user_id === null ? 'All others' : <UserName id={user_id} />),
    },
    {
      label: 'Used',
      isNumber: true,
      narrow: 'first',
      render: ({ used }) => <Amount metric={metric} of={used} />,
    },
    {
      label: 'Share',
      isNumber: true,
      render: ({ used }) => percent(whole === 0 ? 0 : used / whole, 0),
    },
  ];
  return (
    <Section title="Who used it">
      {users.length === 0 ? (
        <Text c="dimmed">Nobody yet.</Text>
      ) : (
        <Stack gap={0}>
          <Rows
            label="Who used it"
            rows={users}
            columns={columns}
            keyOf={({ user_id }) => JSON.stringify(user_id)}
          />
        </Stack>
      )}
    </Section>
  );
}
