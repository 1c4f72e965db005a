import { expect } from 'vitest';
import type { DashboardStack } from './dashboard-stack.ts';
import { call } from './harness.ts';

const DAY_MS = 86_400_000;
export const SHOP = 'github.com/acme/shop';

const iso = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString();

interface Told {
  number: number;
  branch: string;
  title: string;
  state: 'open' | 'closed' | 'merged';
  openedDaysAgo: number;
  endedDaysAgo?: number;
}

/** Reports a pull request as a CI job does, and returns its id. */
async function tell(stack: DashboardStack, pull: Told): Promise<string> {
  const { openedDaysAgo, endedDaysAgo, ...fields } = pull;
  const body = {
    repository: SHOP,
    base_branch: 'main',
    url: `https://${SHOP}/pull/${pull.number}`,
    opened_at: iso(openedDaysAgo),
    ...(endedDaysAgo === undefined ? {} : { closed_at: iso(endedDaysAgo) }),
    ...fields,
  };
  const {
    status,
    text,
    body: made,
  } = await call(`${stack.url}/api/v1/pull-requests`, {
    key: stack.key,
    body,
  });
  expect(status, text).toBe(200);
  return made.id;
}

/**
 * Calls on three branches and outside, and five pull requests: #12 merged for $9.00 by two people, #13 open, #14 merged without
 * a call, #15 closed, #11 merged in the week before. Returns their ids by number.
 */
export async function tellPullRequests(stack: DashboardStack): Promise<Record<number, string>> {
  const at = (daysAgo: number) => Date.now() - daysAgo * DAY_MS;
  const on = (branch: string, daysAgo: number, cost_usd: number, rest: Record<string, unknown> = {}) => ({
    repository: SHOP,
    branch,
    ts: at(daysAgo),
    cost_usd,
    user_id: 'grace',
    project_id: 'web',
    ...rest,
  });
  const session = { metadata: { client_session_id: 'one' }, user_id: 'tom', project_id: 'api' };
  await stack.report(
    on('cart', 5, 4, { model: 'claude-sonnet-4-5', provider: 'anthropic' }),
    on('cart', 4, 3),
    on('cart', 2, 2, { user_id: 'tom', task: 'SHOP-412' }),
    on('login', 1, 1.5),
    on('old', 9, 6),
    on('login', 0.06, 0.25, session),
    on('search', 0.055, 0.75, { ...session, task: 'SHOP-9' }),
    { ...session, ts: at(0.05), cost_usd: 0.5 },
    { ts: at(1), cost_usd: 2, user_id: 'grace', project_id: 'web' },
  );
  const merged = { state: 'merged' } as const;
  return {
    11: await tell(stack, {
      ...merged,
      number: 11,
      branch: 'old',
      title: 'Drop the old checkout',
      openedDaysAgo: 11,
      endedDaysAgo: 8.5,
    }),
    12: await tell(stack, {
      ...merged,
      number: 12,
      branch: 'cart',
      title: 'Remember the cart <b>of a visitor</b>',
      openedDaysAgo: 5.5,
      endedDaysAgo: 1.5,
    }),
    13: await tell(stack, {
      number: 13,
      branch: 'login',
      title: 'Sign in by passkey',
      state: 'open',
      openedDaysAgo: 1,
    }),
    14: await tell(stack, {
      ...merged,
      number: 14,
      branch: 'typo',
      title: 'Mend a typo',
      // The last seven days, of which today is one, have this moment at every hour.
      openedDaysAgo: 6,
      endedDaysAgo: 3,
    }),
    15: await tell(stack, {
      number: 15,
      branch: 'search',
      title: 'Search by picture',
      state: 'closed',
      openedDaysAgo: 3,
      endedDaysAgo: 0.01,
    }),
  };
}
