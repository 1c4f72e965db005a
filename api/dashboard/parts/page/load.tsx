import { Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { When } from '../time/when.tsx';
import { ProblemNote } from './problem-note.tsx';

/**
 * Shows a query: a skeleton while it loads, the problem when it failed, else the data. Data that could not be renewed stays,
 * with its time. The previous question's data stays, faded, until this one is answered.
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
  if (query.data !== undefined)
    return (
      <Stack
        gap="sm"
        aria-busy={query.isPlaceholderData}
        className={query.isPlaceholderData ? 'outdated' : undefined}
      >
        {query.isError && (
          <Text size="xs" c="dimmed" role="status">
            Not renewed since <When at={query.dataUpdatedAt / 1_000} />: {query.error.message}
          </Text>
        )}
        {children(query.data)}
      </Stack>
    );
  if (query.isError) return <ProblemNote error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton height={height} aria-label="Loading" role="status" />;
}
