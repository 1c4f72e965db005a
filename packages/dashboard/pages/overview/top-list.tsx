import { Box, Group, Stack, Text } from '@mantine/core';
import type { Grouping } from '../../data/range.ts';
import { useUsage } from '../../data/usage.tsx';
import { useRange, useSharedSearch } from '../../data/use-range.ts';
import { Load } from '../../parts/page/load.tsx';
import { Section } from '../../parts/page/section.tsx';
import { costWords, percent } from '../../parts/text/format.ts';
import { Name } from '../../parts/text/name.tsx';
import { PageLink } from '../../parts/text/page-link.tsx';
import { UserName } from '../../parts/text/user-name.tsx';
import { Change } from '../../parts/text/values.tsx';
import { costBefore, topOf } from './top.ts';

/**
 * The most expensive values of one grouping, each with its share of the cost and its change from the period before. A single
 * one says nothing that the figures do not say, so it is not shown.
 */
export function TopList({ title, by }: { title: string; by: Grouping }) {
  const range = useRange();
  const { now, before } = useUsage();
  if (now.data && topOf(now.data, by).length < 2) return null;
  return (
    <Section title={title}>
      <Load query={now} height={180}>
        {(data) => (
          <Stack gap="sm">
            {topOf(data, by).map(({ value, name, cost, unpriced }) => (
              <Entry
                key={JSON.stringify(name)}
                name={
                  value === null ? (
                    <Text size="sm">{name ?? 'All others'}</Text>
                  ) : (
                    <SessionsOf by={by} value={value} />
                  )
                }
                cost={costWords({ cost_usd: cost, unpriced_signals: unpriced })}
                share={data.totals.cost_usd > 0 ? cost / data.totals.cost_usd : 0}
                change={
                  name === null || cost === 0 || before.data?.totals.signals === 0 ? null : (
                    <Change now={cost} before={costBefore(before.data, by, name)} than={range.beforeLabel} />
                  )
                }
              />
            ))}
          </Stack>
        )}
      </Load>
    </Section>
  );
}

function Entry({
  name,
  cost,
  share,
  change,
}: {
  name: React.ReactNode;
  cost: string;
  share: number;
  change: React.ReactNode;
}) {
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        {name}
        <Text size="sm" className="number">
          {cost}
        </Text>
      </Group>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Box className="share" style={{ flex: 1 }} aria-hidden>
          <Box className="share-fill" style={{ width: `${Math.min(share, 1) * 100}%` }} />
        </Box>
        <Text size="xs" c="dimmed" className="number">
          {percent(share, 0)}
        </Text>
      </Group>
      <Text size="xs" c="dimmed" component="div">
        {change}
      </Text>
    </div>
  );
}

/** A value that links to its sessions, with the range and the filters. */
function SessionsOf({ by, value }: { by: Grouping; value: string }) {
  const search = useSharedSearch();
  return (
    <PageLink to="/sessions" search={{ ...search, [by]: value }} className="clip">
      {by === 'user_id' ? <UserName id={value} /> : <Name of={value} />}
    </PageLink>
  );
}
