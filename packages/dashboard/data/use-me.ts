import { useSuspenseQuery } from '@tanstack/react-query';
import type { Me } from '../../../shared/core/accounts/identity/me.ts';
import { meQuery } from './queries.ts';

/** The person who is signed in; only inside the frame, which shows pages to nobody else. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery()).data;
}

export function useIsAdmin(): boolean {
  return useMe().role === 'admin';
}

/** True of a person who may ask by team: an admin on a plan that has it. */
export function seesTeams({ role, org }: Me): boolean {
  return role === 'admin' && org.plan !== 'free';
}

/** The organization whose usage by team the person may see. */
export function teamsOf(me: Me): string | null {
  return seesTeams(me) ? me.org.id : null;
}
