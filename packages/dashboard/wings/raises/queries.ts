import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, api, take } from '../../data/client.ts';

export type Raise = AnswerOf<'/v1/raises/{id}'>;

/** States may change at any moment, by an answer or by the clock. */
const EVERY_MS = 5_000;

/** The filters of the list. */
interface Asked {
  status?: Raise['status'];
  budget_id?: string;
  user_id?: string;
  limit: number;
  cursor?: string;
}

export function raisesQuery(query: Asked) {
  return queryOptions({
    queryKey: ['raises', query],
    queryFn: () => take(api.GET('/v1/raises', { params: { query } })),
    refetchInterval: EVERY_MS,
  });
}

export function raiseQuery(id: string) {
  return queryOptions({
    queryKey: ['raises', id],
    queryFn: () => take(api.GET('/v1/raises/{id}', { params: { path: { id } } })),
    refetchInterval: EVERY_MS,
  });
}
