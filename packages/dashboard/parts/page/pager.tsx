import { Button, Group, Text } from '@mantine/core';
import { type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { exact } from '../text/format.ts';
import { QueryRows, type RowsProps } from './rows.tsx';

interface PageOf<Row> {
  data: Row[];
  cursor: string;
  has_more: boolean;
  /** The ledger does not count its rows. Null: too many. */
  total?: number | null;
}

/** The cursors of the pages up to the one that is shown, of the question that `key` names. */
interface Walk {
  key: string;
  cursors: string[];
}

interface Pages<Page> {
  query: UseQueryResult<Page>;
  turn: (by: 1 | -1) => void;
  page: number;
}

/**
 * The pages of a list, one at a time. Only the first page is polled; a later one stays as it was read. `key` names the
 * question: another one begins at its first page. The page is part of the browser's history, so that going back from a row
 * shows it again.
 */
export function usePages<Page extends PageOf<unknown>, Key extends readonly unknown[]>(
  key: string,
  ask: (cursor: { cursor?: string }) => UseQueryOptions<Page, Error, Page, Key>,
): Pages<Page> {
  const navigate = useNavigate();
  const { walk } = useLocation().state as { walk?: Walk };
  const cursors = walk?.key === key ? walk.cursors : [];
  const cursor = cursors.at(-1);
  const question = ask(cursor === undefined ? {} : { cursor });
  const query = useQuery(cursor === undefined ? question : { ...question, refetchInterval: false });
  const turn = (by: 1 | -1) => {
    const next = by === 1 && query.data ? [...cursors, query.data.cursor] : cursors.slice(0, -1);
    const state = (before: object) => ({ ...before, walk: { key, cursors: next } satisfies Walk });
    const same = { to: '.', search: (before: unknown) => before, resetScroll: false };
    void navigate({ ...same, state } as never);
  };
  return { query, turn, page: cursors.length + 1 };
}

/** The rows of a page, or `empty` where there are none, and the way to the other pages. */
export function PagedRows<Row>({
  pages,
  ...rows
}: Omit<RowsProps<Row>, 'rows'> & {
  pages: Pages<PageOf<Row>>;
  empty?: React.ReactNode;
  height?: number;
}) {
  return (
    <>
      <QueryRows query={pages.query} {...rows} />
      <Pager pages={pages} />
    </>
  );
}

/** The number of rows, and the way to the other pages. A list without rows has said so itself. */
export function Pager({ pages }: { pages: Pages<PageOf<unknown>> }) {
  const { query, turn, page } = pages;
  if (!query.data || query.data.total === 0) return null;
  const { total, has_more } = query.data;
  const isAlone = page === 1 && !has_more;
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {total === null ? 'Too many to count' : total === undefined ? '' : `${exact(total)} in all`}
      </Text>
      <Group gap="sm" display={isAlone ? 'none' : undefined}>
        <Button variant="default" size="compact-sm" disabled={page === 1} onClick={() => turn(-1)}>
          Previous page
        </Button>
        <Text size="sm">Page {page}</Text>
        <Button
          variant="default"
          size="compact-sm"
          // The placeholder is the previous page, which would lead to this one again.
          disabled={!has_more || query.isPlaceholderData}
          onClick={() => turn(1)}
        >
          Next page
        </Button>
      </Group>
    </Group>
  );
}
