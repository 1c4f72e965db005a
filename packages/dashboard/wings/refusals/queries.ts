import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, api, take } from '../../data/client.ts';
import type { QueryOf } from '../../data/queries.ts';

export type Refusal = AnswerOf<'/api/v1/refusals'>['data'][number];
type Asked = QueryOf<'/api/v1/refusals'>;

export interface Found {
  rows: readonly Refusal[];
  /** False where more rows are there than are read. */
  areAll: boolean;
}

const PAGES = 5;
const EVERY_MS = 10_000;

/** Refused calls, the newest first: 500 rows at most. */
export function refusalsQuery(query: Omit<Asked, 'limit' | 'cursor'>) {
  return queryOptions({
    queryKey: ['refusals', query],
    queryFn: () => readPages(query),
    refetchInterval: EVERY_MS,
  });
}

async function readPages(query: Asked): Promise<Found> {
  const rows: Refusal[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const asked = { ...query, limit: 100, ...(cursor ? { cursor } : {}) };
    const found = await take(api.GET('/api/v1/refusals', { params: { query: asked } }));
    rows.push(...found.data);
    if (!found.has_more) return { rows, areAll: true };
    cursor = found.cursor;
  }
  return { rows, areAll: false };
}
