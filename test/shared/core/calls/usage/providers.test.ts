import { describe, expect, it } from 'vitest';
import type { Organization } from '../../../../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../../../../shared/core/accounts/organizations/read-organization.ts';
import { sessionRows } from '../../../../../shared/core/calls/sessions/model.ts';
import { type Signal, signalRows } from '../../../../../shared/core/calls/signals/model.ts';
import { packEarlierCells } from '../../../../../shared/core/calls/usage/cells.ts';
import { cellOf, makeSnapshots } from '../../../../../shared/core/calls/usage/make-snapshots.ts';
import { rollupRows, snapshotRows } from '../../../../../shared/core/calls/usage/model.ts';
import { rollupKey } from '../../../../../shared/core/calls/usage/plan-rollups.ts';
import { readUsage } from '../../../../../shared/core/calls/usage/read-usage.ts';
import { reconcileUsage } from '../../../../../shared/core/calls/usage/reconcile-usage.ts';
import { splitRange } from '../../../../../shared/core/calls/usage/split-range.ts';
import { sumRollups } from '../../../../../shared/core/calls/usage/sum-rollups.ts';
import { countedProvider, providerOf } from '../../../../../shared/core/pricing/provider-of.ts';
import { inTransaction } from '../../../../../shared/platform/mongo/transaction.ts';
import { makeTenant } from '../../../../support/factories.ts';
import { fixture } from '../../../../support/fixture.ts';
import { pick, seeded } from '../../../../support/random.ts';
import { recordAll } from '../../../../support/usage.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const DAY = 86_400_000;
const random = seeded(222);
const { api } = await fixture({ clock: NOW });

/** An organization with made-up signals of the last 20 days. */
async function populate(count: number) {
  const { orgId, key } = await makeTenant(api.ctx, {
    timezone: 'UTC',
    scopes: ['signals:correct', 'usage:read'],
  });
  const signals = Array.from({ length: count }, (_, index) => ({
    ts: Math.floor(NOW - (index + random()) * ((20 * DAY) / count)),
    user_id: pick(random, ['ada', 'bob']),
    model: pick(random, ['gpt-5', 'claude-sonnet-4-5', 'nobody-knows-it']),
    provider: pick(random, [undefined, 'aws.bedrock', 'openai', 'litellm', 'ollama']),
    tokens_in: Math.floor(random() * 1_000),
  }));
  await recordAll(
    api.ctx,
    orgId,
    signals.map((signal) => JSON.parse(JSON.stringify(signal))),
  );
  return { orgId, key, organization: await readOrganization(api.ctx, orgId) };
}

/** Tokens and sessions by provider, as the rollups or snapshots have them. */
async function byProvider(organization: Organization) {
  const midnight = Date.parse('2026-04-11T00:00:00Z');
  const parts = splitRange(organization, [midnight - 30 * DAY, midnight]);
  const columns = ['provider', 'model'] as const;
  const rows = await inTransaction(api.ctx.db, (transaction) =>
    sumRollups(api.ctx, organization, { parts, match: {}, columns }, transaction),
  );
  const counts: Record<string, { tokens_in: number; sessions: number }> = {};
  for (const { key, sums } of rows) {
    const of = String(key.provider) || providerOf({ model: String(key.model) }, NOW);
    counts[of] ??= { tokens_in: 0, sessions: 0 };
    counts[of].tokens_in += sums.tokens_in;
    counts[of].sessions += sums.sessions;
  }
  return counts;
}

/** The same, counted one by one. */
async function counted(orgId: string, named: (signal: Signal) => string) {
  const counts: Record<string, { tokens_in: number; sessions: number }> = {};
  const of = (provider: string) => {
    counts[provider] ??= { tokens_in: 0, sessions: 0 };
    return counts[provider];
  };
  for await (const signal of signalRows(api.ctx).find({ org_id: orgId, voided: { $exists: false } }))
    of(named(signal)).tokens_in += signal.tokens_in;
  for await (const { model, signal_count } of sessionRows(api.ctx).find({ org_id: orgId }))
    if (signal_count > 0) of(providerOf({ model }, NOW)).sessions += 1;
  return counts;
}

/** Turns all rows of an organization into those of a version that knew no provider, by way of `sumOfSignals`. */
async function makeEarlier(organization: Organization): Promise<void> {
  const org_id = organization._id;
  await signalRows(api.ctx).updateMany({ org_id }, { $unset: { price_provider: true } });
  await sessionRows(api.ctx).updateMany({ org_id }, { $unset: { price_provider: true } });
  await reconcileUsage(api.ctx, organization, { repair: true });
}

describe('the provider of rollups', () => {
  it('is the one that each signal counts under, with snapshots and without', async () => {
    const { orgId, organization } = await populate(150);
    const right = await counted(orgId, (signal) => countedProvider(signal, NOW));
    expect(Object.keys(right).sort()).toEqual(['anthropic', 'aws', 'litellm', 'ollama', 'openai', 'unknown']);
    expect(await byProvider(organization)).toEqual(right);
    expect(await makeSnapshots(api.ctx, organization, { fromMs: 0, toMs: NOW })).toBeGreaterThan(20);
    expect(await byProvider(organization)).toEqual(right);
    expect(await reconcileUsage(api.ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
  });

  it('of an earlier version is that of the model, in the rows that there were', async () => {
    const { orgId, organization } = await populate(60);
    await makeEarlier(organization);
    const rows = await rollupRows(api.ctx)
      .find({ org_id: orgId, signals: { $gt: 0 } })
      .toArray();
    for (const { _id, period, start, provider, ...of } of rows) {
      expect(provider).toBeUndefined();
      expect(_id).toBe(rollupKey(orgId, period, start.getTime(), of));
    }
    const right = await counted(orgId, ({ model }) => providerOf({ model }, NOW));
    expect(await byProvider(organization)).toEqual(right);
    expect(await reconcileUsage(api.ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
  });

  it('takes a voided signal from the row that counted it, also one of an earlier version', async () => {
    const { orgId, key, organization } = await populate(60);
    await makeEarlier(organization);
    const late = { ts: NOW - 3 * DAY, user_id: 'ada', model: 'gpt-5', tokens_in: 7 };
    await recordAll(api.ctx, orgId, [
      { ...late, provider: 'aws.bedrock' },
      { ...late, provider: 'openai' },
    ]);
    for (const { _id } of await sessionRows(api.ctx).find({ org_id: orgId }).toArray()) {
      const own = await signalRows(api.ctx).find({ session_id: _id }).toArray();
      const body = { signal_ids: own.map(({ id }) => id), reason: 'counted twice' };
      const path = `/api/v1/sessions/${_id}/void`;
      expect((await api.call(path, { key, body })).status).toBe(200);
    }
    const left = await rollupRows(api.ctx).find({ org_id: orgId }).toArray();
    expect(left.filter(({ signals, sessions, tokens_in }) => signals || sessions || tokens_in)).toEqual([]);
    expect(await reconcileUsage(api.ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
  });

  it('is asked of the rollups while a snapshot does not know it, and of the snapshot once it was made again', async () => {
    const { orgId, organization } = await populate(80);
    await makeSnapshots(api.ctx, organization, { fromMs: 0, toMs: NOW });
    const question = { interval: 'none', filter: {}, groupBy: ['user_id'] } as const;
    const usage = await readUsage(api.ctx, organization, question);
    const right = await byProvider(organization);
    for (const { _id, period, start } of await snapshotRows(api.ctx).find({ org_id: orgId }).toArray()) {
      if (period === 'month') {
        await snapshotRows(api.ctx).deleteOne({ _id });
        continue;
      }
      const rows = await rollupRows(api.ctx).find({ org_id: orgId, period, start }).toArray();
      const update = {
        $set: { cells: packEarlierCells(rows.map(cellOf)) },
        $unset: { dimensions: true },
      } as const;
      await snapshotRows(api.ctx).updateOne({ _id }, { ...update, $inc: { version: 1 } });
    }
    expect(await byProvider(organization)).toEqual(right);
    expect(await readUsage(api.ctx, organization, question)).toEqual(usage);
    expect(await reconcileUsage(api.ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
    expect(await makeSnapshots(api.ctx, organization, { fromMs: 0, toMs: NOW })).toBeGreaterThan(20);
    expect(await byProvider(organization)).toEqual(right);
    expect(await makeSnapshots(api.ctx, organization, { fromMs: 0, toMs: NOW })).toBe(0);
  });
});
