import { Button, Group, Text } from '@mantine/core';
import { type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { exact } from './format.ts';

interface PageOf<Row> {
  data: Row[];
  cursor: string;
  has_more: boolean;
  /** The ledger does not count its rows. */
  total?: number;
}

/**
 * The pages of a list, one at a time. Only the first page is read again and again; who has turned a page keeps what is
 * there. `key` names the question: another one begins at its first page.
 */
export function usePages<Row>(
  key: string,
  ask: (cursor: { cursor?: string }) => UseQueryOptions<PageOf<Row>, Error, PageOf<Row>, never>,
): { query: UseQueryResult<PageOf<Row>>; turn: (by: 1 | -1) => void; page: number } {
  const [walk, setWalk] = useState<{ key: string; cursors: string[] }>({ key, cursors: [] });
  const cursors = walk.key === key ? walk.cursors : [];
  const cursor = cursors.at(-1);
  const question = ask(cursor === undefined ? {} : { cursor });
  const query = useQuery({
    ...question,
    ...(cursor === undefined ? {} : { refetchInterval: false as const }),
  });
  const turn = (by: 1 | -1) => {
    const next = by === 1 && query.data ? [...cursors, query.data.cursor] : cursors.slice(0, -1);
    setWalk({ key, cursors: next });
  };
  return { query: query as UseQueryResult<PageOf<Row>>, turn, page: cursors.length + 1 };
}

export function Pager({ pages }: { pages: ReturnType<typeof usePages> }) {
  const { query, turn, page } = pages;
  if (!query.data) return null;
  const { total, has_more } = query.data;
  const isAlone = page === 1 && !has_more;
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {total === undefined ? '' : `${exact(total)} in all`}
      </Text>
      <Group gap="sm" display={isAlone ? 'none' : undefined}>
        <Button variant="default" size="compact-sm" disabled={page === 1} onClick={() => turn(-1)}>
          Newer page
        </Button>
        <Text size="sm">Page {page}</Text>
        <Button variant="default" size="compact-sm" disabled={!has_more} onClick={() => turn(1)}>
          Older page
        </Button>
      </Group>
    </Group>
  );
}
