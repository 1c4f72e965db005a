import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { groupsBy, type NamedGroup } from '../../data/groups.ts';
import { type Grouping, isWork } from '../../data/range.ts';
import { allGroups } from '../../data/usage-questions.ts';
import { useMe } from '../../data/use-me.ts';
import { useFilters, useRange, useSharedSearch } from '../../data/use-range.ts';
import { Load } from '../../parts/page/load.tsx';
import { type Column, Rows } from '../../parts/page/rows.tsx';
import { costWords, exact, percent } from '../../parts/text/format.ts';
import { Name } from '../../parts/text/name.tsx';
import { PageLink } from '../../parts/text/page-link.tsx';
import { UserName } from '../../parts/text/user-name.tsx';
import { Count } from '../../parts/text/values.tsx';
import { pullRequestSearch, withoutHost } from '../../words/work.ts';

/** More rows are shown when they are asked for. */
const AT_FIRST = 100;

/** Every group of the range with all its figures, most expensive first. Each leads to its sessions, and a pull request to itself. */
export function AllGroups({ by, title }: { by: Grouping; title: string }) {
  const { org } = useMe();
  const groups = useQuery(allGroups(org.id, by, useRange(), useFilters()));
  const [isWhole, setWhole] = useState(false);
  return (
    <Load query={groups}>
      {(usage) => {
        const all = groupsBy(usage, by).toSorted((a, b) => b.cost_usd - a.cost_usd || b.signals - a.signals);
        const shown = isWhole ? all : all.slice(0, AT_FIRST);
        return (
          <>
            <Rows
              label={title}
              rows={shown}
              columns={columnsOf(by, usage.totals.cost_usd)}
              keyOf={({ key }) => JSON.stringify(key)}
            />
            {shown.length < all.length && (
              <Button variant="default" size="compact-sm" onClick={() => setWhole(true)}>
                Show all {exact(all.length)}
              </Button>
            )}
          </>
        );
      }}
    </Load>
  );
}

const HEADINGS: Record<Grouping, string> = {
  user_id: 'User',
  project_id: 'Project',
  model: 'Model',
  adapter: 'Tool',
  team: 'Team',
  repository: 'Repository',
  branch: 'Branch',
  pull_request: 'Pull request',
  task: 'Task',
};

/** A narrow screen has room for two such counts in a line. */
const NARROW: Readonly<Record<string, 'third' | 'hidden'>> = {
  Sessions: 'third',
  Errors: 'third',
  Calls: 'hidden',
};

function columnsOf(by: Grouping, totalUsd: number): readonly Column<NamedGroup>[] {
  const count = (label: string, of: (group: NamedGroup) => number): Column<NamedGroup> => ({
    label,
    isNumber: true,
    ...(NARROW[label] ? { narrow: NARROW[label] } : {}),
    render: (group) => <Count of={of(group)} />,
  });
  return [
    {
      label: HEADINGS[by],
      isHeading: true,
      narrow: 'first',
      render: (group) => <Group by={by} group={group} />,
    },
    {
      label: 'Cost',
      isNumber: true,
      narrow: 'first',
      render: costWords,
    },
    {
      label: 'Share',
      isNumber: true,
      narrow: 'first',
      render: ({ cost_usd }) => percent(totalUsd > 0 ? cost_usd / totalUsd : 0, 0),
    },
    count('Tokens in', ({ tokens_in }) => tokens_in),
    count('Tokens out', ({ tokens_out }) => tokens_out),
    // One session may be worked on for several, so usage counts it for none.
    ...(isWork(by) ? [] : [count('Sessions', ({ sessions }) => sessions)]),
    count('Calls', ({ signals }) => signals),
    count('Errors', ({ errors }) => errors),
  ];
}

function Group({ by, group: { name, value } }: { by: Grouping; group: NamedGroup }) {
  const search = useSharedSearch();
  if (value === null) return <Text size="sm">{name}</Text>;
  if (by === 'pull_request')
    return (
      <PageLink to="/pull-requests" search={{ ...search, ...pullRequestSearch(value) }}>
        <Name of={value} />
      </PageLink>
    );
  return (
    <PageLink to="/sessions" search={{ ...search, [by]: value }}>
      {by === 'user_id' ? (
        <UserName id={value} />
      ) : (
        <Name of={by === 'repository' ? withoutHost(value) : value} />
      )}
    </PageLink>
  );
}
