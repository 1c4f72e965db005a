import { Anchor, Box, Group, Stack, Text, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { operations } from '../data/schema.d.ts';
import { amount } from './format.ts';
import { State } from './state.tsx';

export type Budget =
  operations['get_api_v1_budgets']['responses'][200]['content']['application/json']['data'][number];

const COLOURS = { ok: '#0072b2', warning: '#e69f00', exceeded: '#d55e00' } as const;

/** How much of a budget is used, with a tick where it will stand at the end of its window. */
export function BudgetBar({ budget }: { budget: Budget }) {
  const { id, name, state, metric, current, threshold } = budget;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <Anchor component={Link} to={`/budgets/${id}`} size="sm" underline="hover" className="clip">
          {name}
        </Anchor>
        <State of={state} />
      </Group>
      <Gauge budget={budget} />
      <Text size="xs" c="dimmed">
        {amount(metric, current)} of {amount(metric, threshold)}, {budget.window}
      </Text>
    </Stack>
  );
}

export function Gauge({ budget }: { budget: Budget }) {
  const { state, metric, threshold, forecast, utilization_pct } = budget;
  const scale = Math.max(100, utilization_pct, (forecast / threshold) * 100);
  const atEnd = (forecast / threshold) * 100;
  return (
    <Tooltip label={`Forecast for the end of the window: ${amount(metric, forecast)}`}>
      <Box
        className="bar"
        role="meter"
        aria-label={`${budget.name}: ${Math.round(utilization_pct)} % used`}
        aria-valuenow={Math.round(utilization_pct)}
        aria-valuemin={0}
        aria-valuemax={Math.round(scale)}
      >
        <Box
          className="bar-fill"
          style={{ width: `${(utilization_pct / scale) * 100}%`, background: COLOURS[state] }}
        />
        <Box className="bar-tick" style={{ left: `calc(${(atEnd / scale) * 100}% - 2px)` }} />
      </Box>
    </Tooltip>
  );
}
