import { useSuspenseQuery } from '@tanstack/react-query';
import type { Me } from '../../../shared/identity/me.ts';
import { readMe } from './client.ts';

export const ME = { queryKey: ['me'], queryFn: readMe, staleTime: 60_000 } as const;

/** The person who is signed in; only inside the frame, which shows pages to nobody else. */
export function useMe(): Me {
  return useSuspenseQuery(ME).data;
}

export function useIsAdmin(): boolean {
  return useMe().role === 'admin';
}
