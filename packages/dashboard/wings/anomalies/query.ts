import { queryOptions } from '@tanstack/react-query';
import { api, take } from '../../data/client.ts';
import type { QueryOf } from '../../data/queries.ts';

export function anomaliesQuery(query: QueryOf<'/api/v1/anomalies'>) {
  return queryOptions({
    queryKey: ['anomalies', query],
    queryFn: () => take(api.GET('/api/v1/anomalies', { params: { query } })),
    refetchInterval: 60_000,
  });
}

/** The anomalies that Overview shows, also asked for whenever usage has changed. */
export const newestQuery = () => ({ ...anomaliesQuery({ limit: 5 }), refetchInterval: 300_000 });
