import { Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { problemOfQuery } from '../../data/query-client.ts';
import { When } from '../time/when.tsx';
import { ProblemNote } from './problem-note.tsx';

/**
 * Shows a query: a skeleton while it loads, the problem when it failed, else the data. Data that could not be renewed stays,
 * with its time. A problem is shown as soon as there is one, also while it is tried again. The previous question's data stays, faded, until this one is answered.
 */
export function Load<Data>({
  query,
  height = 160,
  children,
}: {
  query: UseQueryResult<Data>;
  height?: number | undefined;
  children: (data: Data) => React.ReactNode;
}) {
  const problem = problemOfQuery(query);
  if (query.data !== undefined)
    return (
      <Stack
        gap="sm"
        aria-busy={query.isPlaceholderData}
        className={query.isPlaceholderData ? 'outdated' : undefined}
      >
        {problem && (
          <Text size="xs" c="dimmed" role="status">
            Not renewed since <When at={query.dataUpdatedAt / 1_000} />: {problem.message}
          </Text>
        )}
        {children(query.data)}
      </Stack>
    );
  if (problem) return <ProblemNote error={problem} onRetry={() => void query.refetch()} />;
  return <Skeleton height={height} aria-label="Loading" role="status" />;
}
