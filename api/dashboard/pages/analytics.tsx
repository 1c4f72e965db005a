import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, api, take } from '../data/client.ts';
import { useMe } from '../data/use-me.ts';
import { useChoice } from '../data/use-range.ts';
import { optionsOf, SearchSelect } from '../parts/form/search-select.tsx';
import { Load } from '../parts/page/load.tsx';
import { Page } from '../parts/page/page.tsx';
import { type Column, Rows } from '../parts/page/rows.tsx';
import { Section } from '../parts/page/section.tsx';
import { money } from '../parts/text/format.ts';
import { Change, Count } from '../parts/text/values.tsx';

type Answer = AnswerOf<'/api/v1/org/{orgId}/analytics'>;
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
    <Page title="Analytics" lead="Whole weeks that are over. Values shared by too few people are hidden.">
      <SearchSelect name="dimension" label="By" maw={240} value={asked} data={optionsOf(DIMENSIONS)} />
      <Load query={analytics} height={300}>
        {(data) => (
          <Stack>
            <Cells title="Weeks" rows={weeksOf(data)} k={data.k} />
            {asked !== 'none' && (
              <Cells
                title={DIMENSIONS[asked]}
                rows={data.cells.map((cell) => ({ label: keyWords(asked, cell), cell }))}
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

interface Row {
  label: string;
  cell: object;
  /** The figures of the week before; only where both are visible. */
  before?: Figures | undefined;
}

/** The weeks, oldest first, each beside the one before it, and then all together. Pure. */
function weeksOf({ trend, totals }: Answer): Row[] {
  const weeks = trend.map((cell, index) => {
    const before = trend[index - 1];
    return { label: cell.start.slice(0, 10), cell, before: before && isVisible(before) ? before : undefined };
  });
  return weeks.length === 0 ? [] : [...weeks, { label: 'All', cell: totals }];
}

function isVisible(cell: object): cell is Figures {
  return 'active_users' in cell;
}

const MEASURES: Record<string, (figures: Figures) => number> = {
  Users: ({ active_users }) => active_users,
  Sessions: ({ sessions }) => sessions,
  Signals: ({ signals }) => signals,
  Errors: ({ errors }) => errors,
  Tokens: ({ tokens_in, tokens_out }) => tokens_in + tokens_out,
  Cost: ({ cost_usd }) => cost_usd,
};
const NARROW: Record<string, { narrow: 'first' | 'hidden' }> = {
  Sessions: { narrow: 'hidden' },
  Signals: { narrow: 'hidden' },
  Errors: { narrow: 'hidden' },
  Cost: { narrow: 'first' },
};

function columnsOf(title: string): readonly Column<Row>[] {
  return [
    { label: title, isHeading: true, narrow: 'first', render: ({ label }) => label },
    ...Object.entries(MEASURES).map(([label, measure]) => ({
      label,
      isNumber: true,
      ...NARROW[label],
      render: ({ cell, before }: Row) =>
        isVisible(cell) && (
          <>
            {label === 'Cost' ? money(measure(cell)) : <Count of={measure(cell)} />}
            {before && (
              <div className="beside">
                <Change now={measure(cell)} before={measure(before)} than="the week before" />
              </div>
            )}
          </>
        ),
    })),
  ];
}

/** Rows of figures. A hidden one is hatched and says why; it is never a zero. */
function Cells({ title, rows, k }: { title: string; rows: readonly Row[]; k: number }) {
  const insteadOf = ({ cell }: Row) => {
    if (isVisible(cell)) return null;
    if ('pending' in cell)
      return (
        <Text span inherit c="dimmed">
          not yet: it appears a day after its end, within the hour
        </Text>
      );
    return (
      <div className="hatched">
        <span className="on-hatching">fewer than {k}, or one person dominates</span>
      </div>
    );
  };
  return (
    <Section title={title}>
      {rows.length === 0 ? (
        <Text c="dimmed">No week is shown yet: a week appears a day after its end, within the hour.</Text>
      ) : (
        <Rows
          label={title}
          rows={rows}
          columns={columnsOf(title)}
          keyOf={({ label }) => label}
          instead={insteadOf}
        />
      )}
    </Section>
  );
}
