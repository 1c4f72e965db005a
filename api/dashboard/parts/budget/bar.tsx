import { Anchor, Box, Group, Stack, Text, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '../../data/client.ts';
import { amount, exact } from '../text/format.ts';
import { State } from '../text/state.tsx';

export type Budget = AnswerOf<'/api/v1/budgets'>['data'][number];

const COLOURS = { ok: '#0072b2', warning: '#e69f00', exceeded: '#d55e00' } as const;

/** How much of a budget is used, with a tick where it will stand at the end of its window. */
export function BudgetBar({ budget }: { budget: Budget }) {
  const { id, name, state, metric, current, threshold } = budget;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <Anchor component={Link} to={`/budgets/${id}`} size="sm" underline="hover" className="clip">
          <bdi>{name}</bdi>
        </Anchor>
        <State of={state} />
      </Group>
      <Gauge budget={budget} />
      <Text size="xs" c="dimmed">
        {amount(metric, current)} of {amount(metric, threshold)} ({usedPercent(budget)}), {budget.window}
      </Text>
    </Stack>
  );
}

/** How much of the threshold is used: 41 %, 567,539 %. */
export function usedPercent({ utilization_pct }: Budget): string {
  return `${exact(Math.round(utilization_pct))} %`;
}

/** Beyond twice the threshold a bar tells no more; its words do. */
const WIDEST_PCT = 200;

/** The bar alone: what is used, a tick for the forecast, and a line at the threshold where one of them lies beyond it. */
export function Gauge({ budget }: { budget: Budget }) {
  const { state, metric, threshold, forecast, utilization_pct } = budget;
  const atEnd = Math.min((forecast / threshold) * 100, WIDEST_PCT);
  const used = Math.min(utilization_pct, WIDEST_PCT);
  const scale = Math.max(100, used, atEnd);
  return (
    <Tooltip label={`Forecast for the end of the window: ${amount(metric, forecast)}`}>
      <Box
        className="bar"
        role="meter"
        aria-label={`${budget.name}: ${Math.round(utilization_pct)} % used`}
        aria-valuenow={Math.round(utilization_pct)}
        aria-valuemin={0}
        aria-valuemax={Math.round(Math.max(100, utilization_pct))}
      >
        <Box className="bar-fill" style={{ width: `${(used / scale) * 100}%`, background: COLOURS[state] }} />
        {scale > 100 && (
          <Box className="bar-beyond hatched" style={{ width: `${(1 - 100 / scale) * 100}%` }} />
        )}
        <Box className="bar-tick" style={{ left: `calc(${(atEnd / scale) * 100}% - 2px)` }} />
      </Box>
    </Tooltip>
  );
}
