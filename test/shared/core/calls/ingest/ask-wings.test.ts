import { expect, test } from 'vitest';
import { organizationRows } from '../../../../../shared/core/accounts/organizations/model.ts';
import { readOrganizationVersion } from '../../../../../shared/core/accounts/organizations/versions.ts';
import { recordSignals } from '../../../../../shared/core/calls/ingest/record-signals.ts';
import { reject } from '../../../../../shared/core/calls/signals/check-signal.ts';
import { signalRows } from '../../../../../shared/core/calls/signals/model.ts';
import type { Wing } from '../../../../../shared/core/hooks/wing.ts';
import { NO_PLAN } from '../../../../../shared/platform/context/commit-plan.ts';
import { inTransaction } from '../../../../../shared/platform/mongo/transaction.ts';
import { updateRow } from '../../../../../shared/platform/mongo/writes.ts';
import { makeSignal, senderOf } from '../../../../support/factories.ts';
import { storesFixture } from '../../../../support/fixture.ts';

const own = await storesFixture({ wings: [], perTest: true });
const { ctx } = own;

const post = (wings: readonly Wing[], ...signals: readonly Record<string, unknown>[]) =>
  recordSignals(
    { ...ctx, wings },
    senderOf(own.orgId),
    signals.map((signal) => makeSignal({ ts: ctx.clock.now(), ...signal })),
  );

/** A wing that keeps the calls of a tool out of the count as those of a user, and notes the drafts that it has seen by their ids. */
function refusing(tool: string, seen: string[] = [], user_id = 'ada'): Wing {
  return {
    name: tool,
    calls: {
      doubt: (_organization, drafts) => drafts.filter(({ tool_name }) => tool_name === tool),
      keepOut: async (_ctx, { _id }, { drafts, doubted }) => {
        const own = drafts.filter((draft) => doubted.has(draft));
        seen.push(...drafts.map(({ id }) => id));
        const refusal = (id: string) => ({
          user_id,
          result: reject(id, 'refused', `${tool} is not counted`),
        });
        const change = { $set: { name: `keeps out ${own.length} of ${tool}` } };
        return {
          ...NO_PLAN,
          drafts: doubted,
          outcomes: new Map(own.map((draft) => [draft._id, refusal(draft.id)])),
          rules: own.map(() => updateRow(organizationRows, { _id }, change)),
        };
      },
    },
  };
}

test('each wing keeps drafts out among those that the wings before it have left', async () => {
  const seen: string[] = [];
  const wings = [refusing('rm'), refusing('dd', seen)];
  const tools = { a: 'rm', b: 'ls', c: 'dd' };
  const signals = Object.entries(tools).map(([id, tool_name]) => ({ id, tool_name }));
  const results = await post(wings, ...signals);
  expect(results).toMatchObject([
    { id: 'a', status: 'rejected', code: 'refused', detail: 'rm is not counted' },
    { id: 'b', status: 'accepted' },
    { id: 'c', status: 'rejected', code: 'refused', detail: 'dd is not counted' },
  ]);
  expect(seen).toEqual(['b', 'c']);
  expect(await signalRows(ctx).distinct('id', { org_id: own.orgId })).toEqual(['b']);
});

test('a bound key learns nothing about a signal of another user that a wing keeps out', async () => {
  const bob = { ...senderOf(own.orgId), boundUserId: 'bob' };
  const signal = makeSignal({ ts: ctx.clock.now(), user_id: 'bob', tool_name: 'rm' });
  const [result] = await recordSignals({ ...ctx, wings: [refusing('rm')] }, bob, [signal]);
  expect(result).toMatchObject({ status: 'rejected', code: 'id_taken' });
});

test('a change of the rules by a wing raises their version once per batch', async () => {
  const { orgId } = own;
  const readVersion = () =>
    inTransaction(ctx.db, (transaction) => readOrganizationVersion(ctx, orgId, 0, transaction));
  await post([], {});
  const { version } = await readVersion();
  await post([refusing('rm'), refusing('dd')], { tool_name: 'rm' }, { tool_name: 'dd' });
  expect((await readVersion()).version).toBe(version + 1);
  expect(await organizationRows(ctx).findOne({ _id: orgId })).toMatchObject({ name: 'keeps out 1 of dd' });
});

test('a wing gives signals fields, and learns of the commit once, however often the batch is tried', async () => {
  const tries: string[] = [];
  const giving: Wing = {
    name: 'giving',
    calls: {
      record: async (_ctx, _rules, { signals }) => {
        tries.push('tried');
        const fields = new Map(signals.map(({ _id, id }) => [_id, { work: `work of ${id}` }]));
        const committed = () => tries.push('committed');
        return { ...NO_PLAN, fields, isRelyingOnContexts: false, committed };
      },
    },
  };
  await post([giving], { id: 'a' });
  // The first attempt takes the signal for a new one; the second reads that it is recorded.
  await post([giving], { id: 'a' }, { id: 'b' });
  expect(tries).toEqual(['tried', 'committed', 'tried', 'tried', 'committed']);
  const works = await signalRows(ctx).distinct('work', { org_id: own.orgId });
  expect(works).toEqual(['work of a', 'work of b']);
});
