import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { Problem } from './client.ts';

const MOST_RETRIES = 3;
const LONGEST_WAIT_MS = 4_000;

/** The problem of a question: also while it is tried again, so that nobody waits without knowing why. */
export function problemOfQuery({
  error,
  failureReason,
}: Pick<UseQueryResult, 'error' | 'failureReason'>): Error | null {
  return error ?? failureReason;
}

/** Gets an event when an answer says that nobody is signed in any more. */
export const sessionEnded = new EventTarget();

function noticeEnd(error: unknown): void {
  if (error instanceof Problem && error.status === 401) sessionEnded.dispatchEvent(new Event('ended'));
}

/** A service that is not ready (503) is asked until it is, and one that has had too many questions (429) a few times more. */
function mayRetry(failures: number, error: Error): boolean {
  const status = error instanceof Problem ? error.status : 0;
  return status === 503 || (status === 429 && failures < MOST_RETRIES);
}

/**
 * Tries again only what may succeed then; shows old data while new data comes; hidden tabs do not poll. Without
 * a network it asks all the same: the failure is shown, and no change waits unseen until the network is back.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEnd }),
  mutationCache: new MutationCache({ onError: noticeEnd }),
  defaultOptions: {
    queries: {
      retry: mayRetry,
      retryDelay: (failures) => Math.min(1_000 * 2 ** failures, LONGEST_WAIT_MS),
      placeholderData: keepPreviousData,
      staleTime: 5_000,
      refetchIntervalInBackground: false,
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
