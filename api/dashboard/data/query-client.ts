import { keepPreviousData, MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { Problem } from './client.ts';

const MOST_RETRIES = 3;

/** Gets an event when an answer says that nobody is signed in any more. */
export const sessionEnded = new EventTarget();

function noticeEnd(error: unknown): void {
  if (error instanceof Problem && error.status === 401) sessionEnded.dispatchEvent(new Event('ended'));
}

/**
 * Tries again only what may succeed then (429 and 503); shows old data while new data comes; hidden tabs do not poll. Without
 * a network it asks all the same: the failure is shown, and no change waits unseen until the network is back.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEnd }),
  mutationCache: new MutationCache({ onError: noticeEnd }),
  defaultOptions: {
    queries: {
      retry: (failures, error) =>
        failures < MOST_RETRIES && error instanceof Problem && [429, 503].includes(error.status),
      placeholderData: keepPreviousData,
      staleTime: 5_000,
      refetchIntervalInBackground: false,
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
