import { Box, Group, Stack, Text } from '@mantine/core';
import type { FilterName } from '../../data/range.ts';
import { groupsBy, type Usage, useUsage } from '../../data/usage.tsx';
import { useSharedSearch } from '../../data/use-range.ts';
import { Load } from '../../parts/page/load.tsx';
import { Section } from '../../parts/page/section.tsx';
import { money } from '../../parts/text/format.ts';
import { PageLink } from '../../parts/text/page-link.tsx';
import { UserName } from '../../parts/text/user-name.tsx';
import { Change } from '../../parts/text/values.tsx';

const SHOWN = 5;

/** The most expensive values of one dimension, each with its share of the cost and its change from the period before. */
export function TopList({ title, by }: { title: string; by: FilterName }) {
  const { now, before } = useUsage();
  return (
    <Section title={title}>
      <Load query={now} height={180}>
        {(data) => (
          <Stack gap="sm">
            {topOf(data, by).map(({ value, cost, isUnpriced }) => (
              <Entry
                key={value ?? ''}
                name={
                  value === null ? <Text size="sm">All others</Text> : <SessionsOf by={by} value={value} />
                }
                cost={isUnpriced ? 'no price' : money(cost)}
                share={data.totals.cost_usd > 0 ? cost / data.totals.cost_usd : 0}
                change={changeOf(cost, value === null ? undefined : costBefore(before.data, by, value))}
              />
            ))}
          </Stack>
        )}
      </Load>
    </Section>
  );
}

function changeOf(now: number, before: number | undefined): React.ReactNode {
  return before === undefined || now === 0 ? null : <Change now={now} before={before} />;
}

interface Top {
  /** Null: the others. */
  value: string | null;
  cost: number;
  isUnpriced: boolean;
}

/** The entries of the list. Omits values without any signal that could cost something. Pure. */
function topOf(usage: Usage, by: FilterName): Top[] {
  const { totals } = usage;
  const groups = groupsBy(usage, by);
  const named = groups.flatMap(({ value, cost_usd: cost, unpriced_signals }) =>
    value === null || (cost === 0 && unpriced_signals === 0) ? [] : [{ value, cost, isUnpriced: cost === 0 }],
  );
  const top = named.slice(0, SHOWN);
  const others = totals.cost_usd - top.reduce((sum, { cost }) => sum + cost, 0);
  const areMore = named.length > SHOWN || groups.some(({ value }) => value === null);
  return areMore ? [...top, { value: null, cost: Math.max(others, 0), isUnpriced: false }] : top;
}

/** The cost of a value in the period before; undefined where it was one of the others. */
function costBefore(before: Usage | undefined, by: FilterName, value: string): number | undefined {
  if (!before) return undefined;
  const groups = groupsBy(before, by);
  const found = groups.find((group) => group.value === value);
  if (found) return found.cost_usd;
  return groups.every((group) => group.value !== null) ? 0 : undefined;
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
          <Box className="share-fill" style={{ width: `${share * 100}%` }} />
        </Box>
        <Text size="xs" c="dimmed" className="number" miw={104} component="div">
          {Math.round(share * 100)} %{change && <> · {change}</>}
        </Text>
      </Group>
    </div>
  );
}

/** A value that links to its sessions, with the range and the filters. */
function SessionsOf({ by, value }: { by: FilterName; value: string }) {
  const search = useSharedSearch();
  return (
    <PageLink to="/sessions" search={{ ...search, [by]: value }} className="clip">
      {by === 'user_id' ? <UserName id={value} /> : <bdi>{value}</bdi>}
    </PageLink>
  );
}
