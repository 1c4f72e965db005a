import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, api, take, takeAll } from '../../../data/client.ts';
import type { BodyOf } from '../../../data/queries.ts';

/** A destination as the list answers it. */
export type Destination = AnswerOf<'/api/v1/destinations'>['data'][number];
export type Run = AnswerOf<'/api/v1/destinations/{id}/runs'>['data'][number];
export type Partition = AnswerOf<'/api/v1/destinations/{id}/partitions'>['data'][number];
export type Code = NonNullable<Destination['code']>;

export type NewDestination = BodyOf<'/api/v1/destinations'>;
export type DestinationChange = BodyOf<'/api/v1/destinations/{id}', 'patch'>;
export type AskedRun = BodyOf<'/api/v1/destinations/{id}/runs'>;

/** Every change of a destination makes all of these outdated. */
export const DESTINATIONS = ['destinations'] as const;

export function destinationsQuery() {
  return queryOptions({
    queryKey: [...DESTINATIONS],
    queryFn: () => take(api.GET('/api/v1/destinations')),
    refetchInterval: 10_000,
  });
}

export function destinationQuery(id: string) {
  return queryOptions({
    queryKey: [...DESTINATIONS, id],
    queryFn: () => take(api.GET('/api/v1/destinations/{id}', { params: { path: { id } } })),
    refetchInterval: 5_000,
  });
}

export function runsQuery(id: string, query: { limit: number; cursor?: string }) {
  return queryOptions({
    queryKey: [...DESTINATIONS, id, 'runs', query],
    queryFn: () => take(api.GET('/api/v1/destinations/{id}/runs', { params: { path: { id }, query } })),
    refetchInterval: 5_000,
  });
}

/** The partitions of a month, of all pages: its days, and corrections of earlier ones. */
export function partitionsQuery(id: string, billing_period: string) {
  return queryOptions({
    queryKey: [...DESTINATIONS, id, 'partitions', billing_period],
    queryFn: () =>
      takeAll((page) => {
        const query = { billing_period, ...page };
        return take(api.GET('/api/v1/destinations/{id}/partitions', { params: { path: { id }, query } }));
      }),
    refetchInterval: 10_000,
  });
}

export const testDestination = (id: string) =>
  take(api.POST('/api/v1/destinations/{id}/test', { params: { path: { id } } }));

export const changeDestination = (id: string, body: DestinationChange) =>
  take(api.PATCH('/api/v1/destinations/{id}', { params: { path: { id } }, body }));

export const deleteDestination = (id: string) =>
  take(api.DELETE('/api/v1/destinations/{id}', { params: { path: { id } } }));
