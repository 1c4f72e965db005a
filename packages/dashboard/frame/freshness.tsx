import { Text } from '@mantine/core';
import { notifyManager, useIsFetching, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { When } from '../parts/time/when.tsx';

/** A question that takes longer is worth a word. */
const PATIENCE_MS = 5_000;

/** One line above the page while its figures are old: they could not be renewed, or an answer takes long. */
export function Freshness() {
  const stale = useStale();
  const isSlow = useSlow();
  if (stale === null && !isSlow) return null;
  return (
    <Text size="sm" className="freshness">
      {stale ? (
        <>
          Not renewed since <When at={stale.sinceMs / 1_000} />: {stale.reason}
        </>
      ) : (
        'Still waiting for an answer. The figures that are shown may be old.'
      )}
    </Text>
  );
}

/** Since when something on the page could not be renewed, and why; null while all can. */
function useStale(): { sinceMs: number; reason: string } | null {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback(
    (notice: () => void) => cache.subscribe(notifyManager.batchCalls(notice)),
    [cache],
  );
  // A text, so that the same state is the same value.
  const state = useSyncExternalStore(subscribe, () => {
    const failing = cache.findAll({ type: 'active' }).flatMap(({ state }) => {
      const problem = state.error ?? state.fetchFailureReason;
      return problem && state.data !== undefined ? [[state.dataUpdatedAt, problem.message] as const] : [];
    });
    return JSON.stringify(failing.toSorted(([a], [b]) => a - b)[0] ?? null);
  });
  const oldest = JSON.parse(state) as [number, string] | null;
  return oldest && { sinceMs: oldest[0], reason: oldest[1] };
}

/** True once questions have been without an answer for some seconds. */
function useSlow(): boolean {
  const isAsking = useIsFetching({ type: 'active' }) > 0;
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isAsking) return;
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [isAsking]);
  return isSlow;
}
