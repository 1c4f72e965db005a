import type { Member } from '../../core/accounts/organizations/model.ts';
import type { PersonRecord } from '../../core/hooks/wing.ts';
import type { Context } from '../../platform/context/context.ts';
import { raiseRows } from './model.ts';
import { withOwned } from './read-raises.ts';
import { viewRaise } from './view.ts';

/** The requests of the member for more of a budget, as the member sees them, oldest first. */
export async function* exportRaises(ctx: Context, { org_id, user_id }: Member): AsyncGenerator<PersonRecord> {
  const viewer = await withOwned(ctx, { orgId: org_id, userId: user_id, scopes: [] });
  for await (const raise of raiseRows(ctx).find({ org_id, user_id }).sort({ created_at: 1 }))
    yield { kind: 'raise', data: viewRaise(raise, viewer, ctx.clock.now()) };
}
