import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, take } from '../../data/client.ts';
import { allGroups } from '../../data/usage-questions.ts';
import { seesTeams, useMe } from '../../data/use-me.ts';
import { useChoice } from '../../data/use-range.ts';
import { optionsOf, SearchSelect } from '../../parts/form/search-select.tsx';
import { Load } from '../../parts/page/load.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Empty, Section } from '../../parts/page/section.tsx';
import { FigureRows } from './figure-rows.tsx';
import { WeekCard } from './week-card.tsx';
import { type Answer, DIMENSIONS, figuresOf, GROUPINGS, runningWeek, valuesOf, weeksOf } from './weeks.ts';

/** The usage of the organization by weeks, in which no member can be identified. */
export function Analytics() {
  const { org } = useMe();
  const asked = useChoice('dimension', DIMENSIONS) ?? 'model';
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
      lead={`How ${org.name} works, week by week from Monday on, without naming anyone`}
    >
      <Load query={analytics} height={300}>
        {(data) => <Weeks data={data} timezone={org.timezone} />}
      </Load>
    </Page>
  );
}

/** The values of the dimension that have calls without a price. Usage knows them; it is asked where a cost is zero. */
function useUnpriced({ dimension, from, to, cells }: Answer): ReadonlySet<unknown> {
  const me = useMe();
  const by = GROUPINGS[dimension];
  const isAsked = by !== undefined && (by !== 'team' || seesTeams(me));
  const usage = useQuery({
    ...allGroups(me.org.id, by ?? 'model', { query: { from, to } }, {}),
    enabled: isAsked && cells.some((cell) => figuresOf(cell)?.cost_usd === 0),
    staleTime: 300_000,
  });
  const groups = usage.data?.groups ?? [];
  return new Set(
    groups.flatMap(({ key, unpriced_signals }) => (by && unpriced_signals > 0 ? [key?.[by]] : [])),
  );
}

function Weeks({ data, timezone }: { data: Answer; timezone: string }) {
  const { dimension, k, totals } = data;
  const weeks = weeksOf(data, timezone);
  const values = [...valuesOf(data, useUnpriced(data)), { label: 'All', cell: totals }];
  if (!weeks.some(({ cell }) => figuresOf(cell)))
    return (
      <Empty>
        No week can be shown yet. A week appears two days after its Sunday, unless fewer than {k} people share
        its figures or one person has most of them.
      </Empty>
    );
  const isHidden = [...weeks, ...values].some(({ cell }) => 'suppressed' in cell);
  const name = dimension === 'none' ? 'Weeks' : DIMENSIONS[dimension];
  return (
    <Stack>
      {isHidden && (
        <Group gap="sm" wrap="nowrap" align="center">
          <div className="hatched" style={{ width: 32, height: 16, flex: 'none' }} aria-hidden />
          <Text size="sm">
            Hatched figures are hidden: fewer than {k} people share them, or one person has most of them.
          </Text>
        </Group>
      )}
      <WeekCard weeks={[...weeks, runningWeek(data, timezone)]} />
      <Section
        title={dimension === 'none' ? 'All weeks' : `All weeks, by ${DIMENSIONS[dimension].toLowerCase()}`}
        aside={
          <SearchSelect name="dimension" aria-label="By" value={dimension} data={optionsOf(DIMENSIONS)} />
        }
      >
        {'pending' in totals ? (
          <Text c="dimmed">No week is shown yet.</Text>
        ) : (
          <FigureRows title={name} rows={values} />
        )}
      </Section>
    </Stack>
  );
}
