import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, api, take } from '../../data/client.ts';

export type HeldPage = AnswerOf<'/api/v1/held-signals'>;

/** A held signal as the list answers it. */
export type HeldSignal = HeldPage['data'][number];

/** The newest held signals that nobody has decided about. */
export async function readHeld(limit: number): Promise<HeldPage> {
  return take(api.GET('/api/v1/held-signals', { params: { query: { limit } } }));
}

export function heldQuery(limit: number) {
  return queryOptions({
    queryKey: ['held', limit],
    queryFn: () => readHeld(limit),
    refetchInterval: 60_000,
  });
}
