import { Box, Group, Stack, Text, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Budget } from '../../data/queries.ts';
import { amount, percent } from '../text/format.ts';
import { Name } from '../text/name.tsx';
import { PageLink } from '../text/page-link.tsx';
import { State } from '../text/state.tsx';
import { Amount } from '../text/values.tsx';
import { sessionsSearch } from './words.ts';

const COLOURS = { ok: '#0072b2', warning: '#e69f00', exceeded: '#d55e00' } as const;

/** How much of a budget is used, with a tick for the forecast of the end of its window. */
export function BudgetBar({ budget }: { budget: Budget }) {
  const { id, name, state, metric, current, threshold_now } = budget;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <PageLink to={`/budgets/${id}`} className="clip">
          <Name of={name} />
        </PageLink>
        <State of={state} />
      </Group>
      <Gauge budget={budget} />
      <Text size="xs" c="dimmed">
        {amount(metric, current)} of {amount(metric, threshold_now)} ({usedPercent(budget)}), {budget.window}
      </Text>
    </Stack>
  );
}

/** The used amount of a budget, which links to the sessions that used it. */
export function BudgetUsed({ budget }: { budget: Budget }) {
  const search = sessionsSearch(budget);
  const used = <Amount metric={budget.metric} of={budget.current} />;
  if (!search) return used;
  return (
    <PageLink to="/sessions" search={search} inherit underline="always">
      {used}
    </PageLink>
  );
}

/** The meaning of a mark of a bar. */
export interface Mark {
  mark: string;
  words: string;
}

/** The meaning of the marks of all budget bars of a page. `more` are those that only this page draws. */
export function GaugeLegend({ more = [] }: { more?: readonly Mark[] }) {
  return (
    <Group gap="md" component="ul" p={0} m={0} fz={12} c="dimmed" style={{ listStyle: 'none' }}>
      {[...LEGEND, ...more].map(({ mark, words }) => (
        <Group key={words} component="li" gap={6} wrap="nowrap">
          <span className={`legend-mark ${mark}`} aria-hidden />
          {words}
        </Group>
      ))}
    </Group>
  );
}

const LEGEND: readonly Mark[] = [
  { mark: 'legend-used', words: 'used' },
  { mark: 'legend-forecast', words: 'forecast for the end of the window' },
  { mark: 'legend-beyond hatched', words: 'beyond the threshold' },
];

/** How much of the threshold is used: 41 %, 567,539 %. */
export function usedPercent({ utilization_pct }: Budget): string {
  return percent(utilization_pct / 100, 0);
}

/** The longest bar: twice the threshold. Beyond it only the words say how much was used. */
const WIDEST_PCT = 200;

/** An amount that is measured by a threshold: a budget, or one person of a template, whose end nobody forecasts. */
export interface Measured
  extends Pick<Budget, 'name' | 'state' | 'metric' | 'threshold_now' | 'utilization_pct'> {
  forecast?: number;
}

/**
 * The bar alone: the used part, a tick for the forecast, and a line at the threshold where one of them lies beyond it. `children`
 * draw more of it, given how many per cent of the threshold its length is; `note` says that in words.
 */
export function Gauge({
  budget,
  note = '',
  children,
}: {
  budget: Measured;
  note?: string;
  children?: (lengthPct: number) => ReactNode;
}) {
  const { state, metric, threshold_now, forecast, utilization_pct } = budget;
  const atEnd = Math.min(((forecast ?? 0) / threshold_now) * 100, WIDEST_PCT);
  const used = Math.min(utilization_pct, WIDEST_PCT);
  const scale = Math.max(100, used, atEnd);
  return (
    <Tooltip
      label={`Forecast for the end of the window: ${amount(metric, forecast ?? 0)}`}
      disabled={forecast === undefined}
    >
      <Box
        className="bar"
        role="meter"
        aria-label={`${budget.name}: ${percent(utilization_pct / 100, 0)} used${note}`}
        aria-valuenow={Math.round(utilization_pct)}
        aria-valuemin={0}
        aria-valuemax={Math.round(Math.max(100, utilization_pct))}
      >
        <Box className="bar-fill" style={{ width: `${(used / scale) * 100}%`, background: COLOURS[state] }} />
        {children?.(scale)}
        {scale > 100 && (
          <Box className="bar-beyond hatched" style={{ width: `${(1 - 100 / scale) * 100}%` }} />
        )}
        {forecast !== undefined && (
          <Box className="bar-tick" style={{ left: `calc(${(atEnd / scale) * 100}% - 2px)` }} />
        )}
      </Box>
    </Tooltip>
  );
}
