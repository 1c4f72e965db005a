import { Anchor, Paper, SimpleGrid, Stack, Text, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Usage } from '../../data/groups.ts';
import { useIsAdmin } from '../../data/use-me.ts';
import { useRange, useSharedSearch } from '../../data/use-range.ts';
import { compact, exact, money, percent, shortMoney } from '../text/format.ts';
import { Change, ComparedWith } from '../text/values.tsx';
import { TileLine } from './tile-line.tsx';

type Sums = Usage['series'][number];

/** The figures of a range, each with its course and its change from the period before. */
export function UsageTiles({ usage, before }: { usage: Usage; before: Usage | undefined }) {
  const search = useSharedSearch();
  const { beforeLabel } = useRange();
  const isAdmin = useIsAdmin();
  const by = (order: object) => ({ to: '/sessions', search: { ...search, ...order } });
  const { totals, series } = usage;
  const of = (measure: (sums: Omit<Sums, 'start'>) => number) => ({
    now: measure(totals),
    before: before && measure(before.totals),
    values: series.map(measure),
  });
  const cacheShare = totals.tokens_in > 0 ? totals.cache_read_tokens / totals.tokens_in : 0;
  const errorRate = totals.signals > 0 ? totals.errors / totals.signals : 0;
  return (
    <Stack gap={4}>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: isAdmin ? 6 : 5 }} spacing="sm">
        <Tile
          label="Cost"
          show={shortMoney}
          exactly={money}
          {...by({ sort: 'cost_usd' })}
          {...of((sums) => sums.cost_usd)}
        />
        <Tile
          label="Tokens in"
          show={compact}
          note={`${percent(cacheShare, 0)} from cache`}
          {...by({ sort: 'tokens' })}
          {...of((sums) => sums.tokens_in)}
        />
        <Tile
          label="Tokens out"
          show={compact}
          {...by({ sort: 'tokens' })}
          {...of((sums) => sums.tokens_out)}
        />
        <Tile label="Sessions" show={compact} {...by({})} {...of((sums) => sums.sessions)} />
        <Tile
          label="Errors"
          show={compact}
          note={`${percent(errorRate)} of calls`}
          {...by({ errors: 'true', sort: 'error_count' })}
          {...of((sums) => sums.errors)}
        />
        {isAdmin && (
          <Tile
            label="Active users"
            show={compact}
            note="with at least one call"
            to="/"
            search={{ ...search, split: 'user_id', view: 'table' }}
            now={totals.active_users ?? 0}
            before={before?.totals.active_users}
            values={series.map(({ active_users }) => active_users ?? 0)}
          />
        )}
      </SimpleGrid>
      {before !== undefined && before.totals.signals > 0 && <ComparedWith than={beforeLabel} />}
    </Stack>
  );
}

function Tile({
  label,
  now,
  before,
  values,
  show,
  exactly = exact,
  note,
  to,
  search,
}: {
  label: string;
  now: number;
  before: number | undefined;
  values: readonly number[];
  show: (value: number) => string;
  /** The format on hover and focus. */
  exactly?: (value: number) => string;
  note?: string;
  /** The page of what it counts. */
  to: string;
  search: object;
}) {
  return (
    <Paper withBorder p="sm" className="tile-card">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Tooltip label={exactly(now)} events={{ hover: true, focus: true, touch: true }}>
        <Anchor
          component={Link}
          to={to}
          search={search as never}
          aria-label={`${label}: ${show(now)}`}
          className="tile"
          c="var(--mantine-color-text)"
          underline="hover"
        >
          {show(now)}
        </Anchor>
      </Tooltip>
      <Text size="xs" c="dimmed" component="div" mih={18}>
        <Change now={now} before={before} than={useRange().beforeLabel} />
      </Text>
      <Text size="xs" c="dimmed" mih={18}>
        {note}
      </Text>
      <TileLine values={values} />
    </Paper>
  );
}
