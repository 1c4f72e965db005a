import { afterAll, describe, expect, it, test } from 'vitest';
import { organizationRows } from '../../../../../shared/core/accounts/organizations/model.ts';
import { organizationVersionRows } from '../../../../../shared/core/accounts/organizations/versions.ts';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import { signalRows } from '../../../../../shared/core/calls/signals/model.ts';
import { createBudget } from '../../../../../shared/core/limits/budgets/change/change-budgets.ts';
import { changeOrganization } from '../../../../../shared/people/change-organization.ts';
import type { Context } from '../../../../../shared/platform/context/context.ts';
import type { CollectionDeclaration } from '../../../../../shared/platform/mongo/collection.ts';
import { contextRows } from '../../../../../shared/wings/work/attribution/model.ts';
import { recordContexts } from '../../../../../shared/wings/work/contexts/record-contexts.ts';
import { makeSignal, senderOf } from '../../../../support/factories.ts';
import { BUDGET, storesFixture } from '../../../../support/fixture.ts';
import { openTestContext } from '../../../../support/harness.ts';
import { standingStillAfter } from '../../../../support/interleave.ts';

const { ctx, clock, tenant } = await storesFixture({ clock: Date.UTC(2026, 10, 21, 12) });
/** Another process on the same data. */
const other = await openTestContext({ clock, sharing: ctx });
afterAll(() => other.close());

function post(of: Context, orgId: string, fields = {}): ReturnType<typeof recordSignals> {
  const call = makeSignal({ ts: clock.now(), metadata: { client_session_id: 's-1' }, ...fields });
  return recordSignals(of, senderOf(orgId), [call]);
}

const waiting = (orgId: string) =>
  organizationVersionRows(ctx).countDocuments({ org_id: orgId, change_waits: true });

const recorded = (orgId: string) => signalRows(ctx).countDocuments({ org_id: orgId });

const context = () => ({ client_session_id: 's-1', ts: new Date(clock.now()).toISOString(), task: 'T-1' });

/** Each kind of change, with a collection that it reads before it writes, and how often each attempt does. */
const CHANGES: [string, CollectionDeclaration, number, (of: Context, orgId: string) => Promise<unknown>][] = [
  ['settings', organizationRows, 1, (of, orgId) => changeOrganization(of, orgId, { session_timeout: 60 })],
  ['budgets', organizationRows, 1, (of, orgId) => createBudget(of, orgId, BUDGET)],
  ['contexts', contextRows, 2, (of, orgId) => recordContexts(of, senderOf(orgId), [context()])],
];

describe.each(CHANGES)('a change of %s', (_, read, reads, change) => {
  it('that has met a conflict has the signals of all processes wait until it is committed', async () => {
    const { orgId } = await tenant();
    await change(ctx, (await tenant()).orgId);
    await post(ctx, orgId);
    const late: ReturnType<typeof post>[] = [];
    const disturbed = standingStillAfter(ctx, read, () => post(other, orgId));
    const second = standingStillAfter(
      disturbed,
      read,
      async () => {
        expect(await waiting(orgId)).toBe(8);
        const looked = Promise.withResolvers<void>();
        const looking = standingStillAfter(other, organizationVersionRows, async () => looked.resolve());
        late.push(post(looking, orgId));
        await looked.promise;
        expect(await recorded(orgId)).toBe(2);
      },
      reads + 1,
    );
    await change(second, orgId);
    expect(await Promise.all(late)).toMatchObject([[{ status: 'accepted' }]]);
    expect(await recorded(orgId)).toBe(3);
    expect(await waiting(orgId)).toBe(0);
  });
});

test('signals wait once, and not for ever, for a change that died while it waited', async () => {
  const { orgId } = await tenant();
  await post(ctx, orgId);
  await organizationVersionRows(ctx).updateMany({ org_id: orgId }, { $set: { change_waits: true } });
  let looks = 0;
  const counting = standingStillAfter(other, organizationVersionRows, async () => {
    looks += 1;
    expect(await recorded(orgId)).toBe(1);
  });
  expect(await post(counting, orgId)).toMatchObject([{ status: 'accepted' }]);
  expect([looks, await waiting(orgId)]).toEqual([1, 0]);
});

test('a batch that is decided again holds no signal by a limit that a change has ended meanwhile', async () => {
  const { orgId } = await tenant();
  const disturbed = standingStillAfter(ctx, organizationVersionRows, () => post(other, orgId), 2);
  const raised = () => changeOrganization(other, orgId, { hold_above: { tokens: 90_000_000 } });
  const again = standingStillAfter(disturbed, organizationVersionRows, raised, 3);
  // It reads the rules, which it knows from then on.
  await post(again, orgId);
  expect(await post(again, orgId, { tokens_in: 30_000_000 })).toMatchObject([{ status: 'accepted' }]);
});
