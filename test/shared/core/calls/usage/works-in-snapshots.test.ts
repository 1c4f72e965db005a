import { describe, expect, it } from 'vitest';
import { readOrganization } from '../../../../../shared/core/accounts/organizations/read-organization.ts';
import { signalRows } from '../../../../../shared/core/calls/signals/model.ts';
import { packEarlierCells } from '../../../../../shared/core/calls/usage/cells.ts';
import { cellOf, makeSnapshots } from '../../../../../shared/core/calls/usage/make-snapshots.ts';
import { rollupRows, snapshotRows } from '../../../../../shared/core/calls/usage/model.ts';
import { readUsage } from '../../../../../shared/core/calls/usage/read-usage.ts';
import { reconcileUsage } from '../../../../../shared/core/calls/usage/reconcile-usage.ts';
import { changeOrganization } from '../../../../../shared/people/change-organization.ts';
import { encode } from '../../../../../shared/wings/exports/encode.ts';
import { exportUsage } from '../../../../../shared/wings/exports/export-usage.ts';
import { workRows } from '../../../../../shared/wings/work/attribution/model.ts';
import { recordContexts } from '../../../../../shared/wings/work/contexts/record-contexts.ts';
import { makeTenant, senderOf } from '../../../../support/factories.ts';
import { storesFixture } from '../../../../support/fixture.ts';
import { recordAll } from '../../../../support/usage.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const DAY = 86_400_000;
const HOUR = 3_600_000;
const SHOP = 'github.com/acme/shop';
const { clock, ctx } = await storesFixture({ clock: NOW });

const metadata = { client_session_id: 's-1' };

/** A call each six hours of the last 30 days, which end with March and begin April. */
function calls(nowMs: number) {
  return Array.from({ length: 120 }, (_, index) => ({
    ts: nowMs - HOUR - index * 6 * HOUR,
    user_id: index % 2 ? 'ada' : 'bob',
    tokens_in: 1 + index,
    metadata,
  }));
}

async function tell(orgId: string, daysAgo: number, branch: string): Promise<void> {
  const ts = new Date(NOW - daysAgo * DAY).toISOString();
  const context = { client_session_id: 's-1', ts, repository: SHOP, branch };
  expect(await recordContexts(ctx, senderOf(orgId), [context])).toMatchObject({
    results: [{ status: 'accepted' }],
  });
}

/** Tokens by day and branch, as the file of days has them: by its level, for these works alone or for all. */
async function exported(
  orgId: string,
  fromMs: number,
  {
    level = 'attributed',
    filter = {},
  }: { level?: 'daily' | 'attributed'; filter?: { works?: string[] } } = {},
): Promise<Record<string, number>> {
  const organization = await readOrganization(ctx, orgId);
  const asked = { fromMs, toMs: undefined, filter, timezone: undefined };
  const { columns, rows } = exportUsage(ctx, organization, { level, ...asked });
  let text = '';
  for await (const part of encode('ndjson', columns, rows)) text += part;
  const sums: Record<string, number> = {};
  for (const line of text.split('\n').filter(Boolean)) {
    const { start, branch, tokens_in } = JSON.parse(line);
    const key = `${start} ${branch}`;
    if (tokens_in > 0) sums[key] = (sums[key] ?? 0) + tokens_in;
  }
  return sums;
}

/** The same, counted call by call. */
async function counted(orgId: string): Promise<Record<string, number>> {
  const organization = await readOrganization(ctx, orgId);
  const works = new Map((await workRows(ctx).find({ org_id: orgId }).toArray()).map((row) => [row._id, row]));
  const sums: Record<string, number> = {};
  for await (const { ts, work = '', tokens_in } of signalRows(ctx).find({ org_id: orgId })) {
    const zone = organization.timezones.findLast(({ from }) => from <= ts);
    const day = Temporal.Instant.fromEpochMilliseconds(ts.getTime())
      .toZonedDateTimeISO(zone?.timezone ?? 'UTC')
      .startOfDay();
    // The first day of a timezone begins where that of the one before has ended.
    const start = new Date(Math.max(day.epochMilliseconds, zone?.from.getTime() ?? 0)).toISOString();
    const key = `${start} ${works.get(work)?.branch?.text ?? null}`;
    sums[key] = (sums[key] ?? 0) + tokens_in;
  }
  return sums;
}

/** Every day by branch, and the groups of all days, are those of the calls. */
async function expectAnswers(orgId: string): Promise<void> {
  const right = await counted(orgId);
  const organization = await readOrganization(ctx, orgId);
  const fromMs = Math.min(...Object.keys(right).map((key) => Date.parse(key.split(' ')[0] ?? '')));
  expect(await exported(orgId, fromMs)).toEqual(right);
  const byBranch: Record<string, number> = {};
  for (const [key, tokens] of Object.entries(right)) {
    const [, branch = ''] = key.split(' ');
    byBranch[branch] = (byBranch[branch] ?? 0) + tokens;
  }
  const works = Map.groupBy(await workRows(ctx).find({ org_id: orgId }).toArray(), (row) => row.branch?.text);
  for (const [branch, rows] of works) {
    const own = Object.entries(right).filter(([key]) => key.endsWith(` ${branch}`));
    const filter = { works: rows.map(({ _id }) => _id) };
    expect(await exported(orgId, fromMs, { filter }), branch).toEqual(Object.fromEntries(own));
    // The file of days does not name works.
    const days = own.map(([key, tokens]) => [key.replace(/ .*/, ' undefined'), tokens]);
    expect(await exported(orgId, fromMs, { level: 'daily', filter }), branch).toEqual(
      Object.fromEntries(days),
    );
  }
  for (const interval of ['none', 'month'] as const) {
    const question = { fromMs, toMs: undefined, interval, groupBy: ['branch'], filter: {} } as const;
    const { totals, groups } = await readUsage(ctx, organization, question);
    const found = groups.filter(({ tokens_in }) => tokens_in > 0);
    expect(Object.fromEntries(found.map(({ key, tokens_in }) => [key.branch, tokens_in]))).toEqual(byBranch);
    expect(groups.reduce((sum, { tokens_in }) => sum + tokens_in, 0)).toBe(totals.tokens_in);
  }
}

/** The same, and no sum is another than that of its calls. */
async function expectExact(orgId: string): Promise<void> {
  await expectAnswers(orgId);
  const organization = await readOrganization(ctx, orgId);
  expect(await reconcileUsage(ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
}

const make = async (orgId: string) =>
  makeSnapshots(ctx, await readOrganization(ctx, orgId), { fromMs: 0, toMs: clock.now() });

/** Snapshots by whether they know works. */
async function kinds(orgId: string): Promise<Record<'withWorks' | 'without' | 'stale', number>> {
  const rows = await snapshotRows(ctx).find({ org_id: orgId }).toArray();
  const stale = rows.filter(({ is_stale }) => is_stale).length;
  const withWorks = rows.filter(({ works }) => works !== undefined).length;
  return { withWorks, without: rows.length - withWorks - stale, stale };
}

describe('snapshots of days and months that closed before a context was told', () => {
  it('say what they have as no work, beside those that were made again, in a closed month too', async () => {
    const { orgId } = await makeTenant(ctx, { timezone: 'America/New_York' });
    await recordAll(ctx, orgId, calls(NOW));
    await make(orgId);
    // Some are of a version that knew neither works nor providers.
    for (const { _id, period, start } of await snapshotRows(ctx).find({ org_id: orgId }).toArray()) {
      if (period === 'month') continue;
      const rows = await rollupRows(ctx).find({ org_id: orgId, period, start }).toArray();
      const update = { $set: { cells: packEarlierCells(rows.map(cellOf)) }, $unset: { dimensions: true } };
      if (start.getUTCDate() % 2)
        await snapshotRows(ctx).updateOne({ _id }, { ...update, $inc: { version: 1 } } as never);
    }
    await expectExact(orgId);
    await tell(orgId, 14, 'one');
    await tell(orgId, 12, 'two');
    const moved = await kinds(orgId);
    expect(moved.stale).toBeGreaterThan(10);
    expect(moved.without).toBeGreaterThan(10);
    await expectExact(orgId);
    await make(orgId);
    const made = await kinds(orgId);
    expect(made.stale).toBe(0);
    // The days since, and March, which had closed before.
    expect(made.withWorks).toBeGreaterThan(10);
    expect(made.without).toBeGreaterThan(10);
    const march = { org_id: orgId, period: 'month', works: { $exists: true } } as const;
    expect(await snapshotRows(ctx).countDocuments(march)).toBe(1);
    await expectExact(orgId);
  });

  it('are right when the calls leave their work again', async () => {
    const { orgId } = await makeTenant(ctx, { timezone: 'America/New_York' });
    await tell(orgId, 14, 'one');
    await recordAll(ctx, orgId, calls(NOW));
    await make(orgId);
    await expectExact(orgId);
    const ended = {
      client_session_id: 's-1',
      ts: new Date(NOW - 14 * DAY + 1).toISOString(),
      repository: null,
    };
    await recordContexts(ctx, senderOf(orgId), [ended]);
    await expectExact(orgId);
    await make(orgId);
    expect(await kinds(orgId)).toMatchObject({ withWorks: 0, stale: 0 });
    await expectExact(orgId);
  });
});

describe.each(['totals', 'cells', 'works'])('snapshots without their %s', (table) => {
  it('leave the questions about them to the rollups, and are repaired where they had room', async () => {
    const { orgId } = await makeTenant(ctx, { timezone: 'America/New_York' });
    await tell(orgId, 14, 'one');
    await recordAll(ctx, orgId, calls(NOW));
    await make(orgId);
    const holding = { org_id: orgId, [table]: { $type: 'string' } } as const;
    const held = await snapshotRows(ctx).countDocuments(holding);
    expect(held).toBeGreaterThan(10);
    await snapshotRows(ctx).updateMany(holding, { $set: { [table]: null }, $inc: { version: 1 } } as never);
    await expectAnswers(orgId);
    const organization = await readOrganization(ctx, orgId);
    expect(await reconcileUsage(ctx, organization, { repair: true })).toMatchObject({
      wrong: held,
      repaired: held,
    });
    expect(await snapshotRows(ctx).countDocuments(holding)).toBe(held);
    await expectExact(orgId);
  });
});

describe('days of two timezones', () => {
  it('have their works where the timezone was changed, before and after calls move', async () => {
    const { orgId } = await makeTenant(ctx, { timezone: 'America/New_York' });
    await recordAll(ctx, orgId, calls(NOW));
    await changeOrganization(ctx, orgId, { timezone: 'Asia/Kathmandu' });
    // The last test: time has passed for all of them.
    clock.advance(6 * DAY);
    await recordAll(ctx, orgId, calls(clock.now()).slice(0, 20));
    await make(orgId);
    await expectExact(orgId);
    await tell(orgId, 3, 'one');
    await tell(orgId, -2, 'two');
    await expectExact(orgId);
    await make(orgId);
    await expectExact(orgId);
  });
});
