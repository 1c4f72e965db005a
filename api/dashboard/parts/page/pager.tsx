import { Button, Group, Text } from '@mantine/core';
import { type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { exact } from '../text/format.ts';

interface PageOf<Row> {
  data: Row[];
  cursor: string;
  has_more: boolean;
  /** The ledger does not count its rows. */
  total?: number;
}

/** The cursors of the pages up to the one that is shown, of the question that `key` names. */
interface Walk {
  key: string;
  cursors: string[];
}

/**
 * The pages of a list, one at a time. Only the first page is read again and again; who has turned a page keeps what is
 * there. `key` names the question: another one begins at its first page. The page lies in the history, so that who comes
 * back from a row sees it again.
 */
export function usePages<Row>(
  key: string,
  ask: (cursor: { cursor?: string }) => UseQueryOptions<PageOf<Row>, Error, PageOf<Row>, never>,
): { query: UseQueryResult<PageOf<Row>>; turn: (by: 1 | -1) => void; page: number } {
  const navigate = useNavigate();
  const { walk } = useLocation().state as { walk?: Walk };
  const cursors = walk?.key === key ? walk.cursors : [];
  const cursor = cursors.at(-1);
  const question = ask(cursor === undefined ? {} : { cursor });
  const query = useQuery({
    ...question,
    ...(cursor === undefined ? {} : { refetchInterval: false as const }),
  });
  const turn = (by: 1 | -1) => {
    const next = by === 1 && query.data ? [...cursors, query.data.cursor] : cursors.slice(0, -1);
    const state = (before: object) => ({ ...before, walk: { key, cursors: next } satisfies Walk });
    const same = { to: '.', search: (before: unknown) => before, resetScroll: false };
    void navigate({ ...same, state } as never);
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
          Previous page
        </Button>
        <Text size="sm">Page {page}</Text>
        <Button
          variant="default"
          size="compact-sm"
          // What still shows the page before would lead to this one once more.
          disabled={!has_more || query.isPlaceholderData}
          onClick={() => turn(1)}
        >
          Next page
        </Button>
      </Group>
    </Group>
  );
}
