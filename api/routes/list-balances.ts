import { z } from 'zod';
import { readAllBalances } from '../../shared/core/credits/meter/read-balances.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { requireScope } from '../auth/authenticate.ts';
import { route } from '../basics/route.ts';
import { balance } from '../schemas/balance.ts';
import { orgParams } from '../schemas/params.ts';

const memberBalance = z.strictObject({
  user_id: z.string(),
  balances: balance.balances.nullable(),
  total: balance.total.nullable(),
});

export const listBalances = route({
  method: 'get',
  path: '/v1/org/{orgId}/balances',
  summary: 'Read the credits of every member',
  description:
    'For admins. By user id; removed members are not among them. A value that is not known now is null: the shard ' +
    'of the credits is being checked, or its Redis does not answer.',
  tag: 'Credits',
  auth: { kind: 'idp' },
  params: orgParams,
  success: {
    status: 200,
    description: 'The credits of each member',
    body: z.strictObject({ data: z.array(memberBalance) }),
    list: 'data',
  },
  errors: ['missing_scope', 'not_found', 'rebuilding', 'outcome_unknown'],
  handle: async ({ principal, params }, ctx) => {
    if (params.orgId !== principal.orgId)
      throw new DomainError('not_found', 'There is no such organization.');
    // Only now: a foreign organization does not exist, for members too.
    requireScope(principal, { kind: 'idp', role: 'admin' });
    return { data: await readAllBalances(ctx, principal.orgId) };
  },
});
