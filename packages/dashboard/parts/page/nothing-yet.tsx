import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sessionsQuery } from '../../data/queries.ts';
import { useSessionSearch } from '../../data/session-search.ts';
import { useChangeSearch, useFilters, useRange } from '../../data/use-range.ts';
import { Empty } from './section.tsx';

/** In place of figures or rows: nothing of a kind in the range, and what to do about it. */
export function NothingYet({ noun }: { noun: 'call' | 'session' }) {
  const range = useRange();
  const own = useSessionSearch().filters;
  const filters = { ...useFilters(), ...(noun === 'session' ? own : {}) };
  const change = useChangeSearch();
  // Where there never was a call, another range shows none either.
  const { data: all } = useQuery(sessionsQuery({ limit: 1 }));
  const isNew = all?.total === 0;
  const isNarrowed = Object.keys(filters).length > 0;
  return (
    <Empty
      action={
        <Group gap="sm" justify="center">
          {(isNew || !isNarrowed) && (
            <Button component={Link} to="/connect">
              Connect a tool
            </Button>
          )}
          {range.name !== '30d' && !isNew && (
            <Button
              variant="default"
              onClick={() => change({ range: '30d', from: undefined, to: undefined })}
            >
              Look at the last 30 days
            </Button>
          )}
          {isNarrowed && (
            <Button
              variant="default"
              onClick={() =>
                change(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])))
              }
            >
              Remove the filters
            </Button>
          )}
        </Group>
      }
    >
      No {noun} in this range{isNarrowed ? ' with these filters' : ''}.
      {isNew && ' Once a tool is connected, its cost, tokens and sessions appear here.'}
    </Empty>
  );
}
