import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { problemOfQuery } from '../../data/query-client.ts';
import { ProblemNote } from './problem-note.tsx';

/**
 * Shows a query: `waiting` or a skeleton while it loads, the problem when it failed, else the data. Data that could not be renewed
 * stays, and the frame says so. The previous question's data stays, faded, until this one is answered or has failed.
 */
export function Load<Data>({
  query,
  height = 160,
  waiting,
  children,
}: {
  query: UseQueryResult<Data>;
  height?: number | undefined;
  /** The shape of what comes, where one grey box says too little. */
  waiting?: React.ReactNode;
  children: (data: Data) => React.ReactNode;
}) {
  const problem = problemOfQuery(query);
  if (query.data !== undefined && !(problem && query.isPlaceholderData))
    return (
      <Stack
        gap="sm"
        aria-busy={query.isPlaceholderData}
        className={query.isPlaceholderData ? 'outdated' : undefined}
      >
        {children(query.data)}
      </Stack>
    );
  if (problem) return <ProblemNote error={problem} onRetry={() => void query.refetch()} />;
  return waiting ?? <Skeleton height={height} aria-label="Loading" role="status" />;
}
