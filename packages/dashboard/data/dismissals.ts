import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, take } from './client.ts';
import { preferencesQuery } from './queries.ts';

/** The notices that the person has dismissed on any device, and the act that dismisses one. `until` is Unix seconds, or null. */
export function useDismissals() {
  const client = useQueryClient();
  const preferences = useQuery({ ...preferencesQuery(), staleTime: 60_000 });
  const { queryKey } = preferencesQuery();
  const { mutate } = useMutation({
    mutationFn: (notice: { id: string; until: number | null }) =>
      take(api.PATCH('/v1/preferences', { body: { dismissed: [notice] } })),
    // Gone at once; back again if the service did not take it.
    onMutate: (notice) =>
      client.setQueryData(
        queryKey,
        (before) => before && { ...before, dismissed: [...before.dismissed, notice] },
      ),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  const ids = new Set(preferences.data?.dismissed.map(({ id }) => id));
  return { preferences, isDismissed: (id: string) => ids.has(id), dismiss: mutate };
}
