import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAnalytics } from '../../../shared/analytics/read-analytics.ts';
import { encode } from '../../../shared/exports/encode.ts';
import { exportUsage } from '../../../shared/exports/export-usage.ts';
import type { Organization } from '../../../shared/organizations/model.ts';
import { readOrganization } from '../../../shared/organizations/read-organization.ts';
import { type Rollup, rollupRows, usageSheetRows } from '../../../shared/usage/model.ts';
import { readUsage, type UsageQuestion } from '../../../shared/usage/read-usage.ts';
import { reconcileUsage } from '../../../shared/usage/reconcile-usage.ts';
import { sheetOf } from '../../../shared/usage/sheets.ts';
import { addSheet, sumsOfTally, type Tally } from '../../../shared/usage/sum-sheets.ts';
import { makeTenant } from '../../support/factories.ts';
import { createTestClock, openTestContext, type TestContext } from '../../support/harness.ts';
import { pick, seeded } from '../../support/random.ts';
import { recordAll } from '../../support/usage.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const DAY = 86_400_000;
const SEED = 60_001;
const random = seeded(SEED);
const USERS = ['ada', 'bob', 'c,"y', 'dan', 'eve', 'fay', 'gus'];
const MODELS = ['gpt-5', 'claude-sonnet-4-5', 'unheard-of'];
let ctx: TestContext;
let organization: Organization;
let spare: Organization;

beforeAll(async () => {
  ctx = await openTestContext({ clock: createTestClock(NOW) });
  organization = await populate(400);
  spare = await populate(20);
});
afterAll(() => ctx.close());

async function populate(count: number): Promise<Organization> {
  const { orgId } = await makeTenant(ctx, { timezone: 'America/New_York' });
  await recordAll(
    ctx,
    orgId,
    Array.from({ length: count }, () => madeUp(NOW - random() * 34.9 * DAY)),
  );
  return readOrganization(ctx, orgId);
}

function madeUp(atMs: number) {
  return {
    ts: Math.floor(atMs),
    user_id: pick(random, USERS),
    project_id: pick(random, ['alpha', 'beta']),
    model: pick(random, MODELS),
    tokens_in: Math.floor(random() * 10_000),
  };
}

const rest = { interval: 'none', filter: {}, groupBy: [] } as const;
const QUESTIONS: readonly UsageQuestion[] = [
  { ...rest, groupBy: ['user_id'] },
  { ...rest, groupBy: ['user_id', 'model'], fromMs: NOW - 31 * DAY, toMs: NOW - 2 * DAY },
  { ...rest, groupBy: ['project_id'], interval: 'day', filter: { model: 'gpt-5' } },
  { ...rest, interval: 'week', timezone: 'Asia/Kathmandu', filter: { project_id: 'beta' } },
  { ...rest, groupBy: ['team'], interval: 'month', filter: { project_id: 'alpha', adapter: 'claude-code' } },
  { ...rest, filter: { user_id: 'ada' }, groupBy: ['model'] },
];

/** Everything that may be answered from sheets. */
async function answers(): Promise<unknown[]> {
  const told: unknown[] = [];
  for (const question of QUESTIONS) told.push(await readUsage(ctx, organization, question));
  for (const dimension of ['model', 'project', 'team', 'none'] as const)
    told.push(await readAnalytics(ctx, organization, { dimension }));
  for (const filter of [{}, { model: 'gpt-5' }])
    told.push(await exported({ fromMs: NOW - 34 * DAY, filter, timezone: undefined }));
  told.push(await exported({ fromMs: NOW - 34 * DAY, filter: {}, timezone: 'Asia/Tokyo' }));
  return told;
}

async function exported(asked: { fromMs: number; filter: object; timezone: string | undefined }) {
  const { columns, rows } = exportUsage(ctx, organization, { level: 'daily', ...asked });
  let text = '';
  for await (const part of encode('ndjson', columns, rows)) text += part;
  return text.split('\n').sort();
}

/** How many questions went to the rollups while `work` ran. */
async function countReads(work: () => Promise<unknown>): Promise<number> {
  const collection = rollupRows(ctx);
  const original = collection.aggregate.bind(collection);
  let reads = 0;
  collection.aggregate = ((...args: Parameters<typeof original>) => {
    reads += 1;
    return original(...args);
  }) as typeof collection.aggregate;
  try {
    await work();
  } finally {
    collection.aggregate = original;
  }
  return reads;
}

const CLOSED = {
  ...rest,
  groupBy: ['user_id'],
  fromMs: Date.parse('2026-03-20T04:00:00Z'),
  toMs: Date.parse('2026-04-05T04:00:00Z'),
} as const;

describe('sheets', () => {
  it('answer as the rollups do, whatever is asked, and late signals count at once', async () => {
    const without = await answers();
    expect(await countReads(() => readUsage(ctx, organization, CLOSED))).toBeGreaterThan(0);
    await reconcileUsage(ctx, organization, { repair: true });
    expect(await answers(), `seed ${SEED}`).toEqual(without);
    expect(await countReads(() => readUsage(ctx, organization, CLOSED))).toBe(0);
    const before = await readUsage(ctx, organization, CLOSED);
    for (let round = 0; round < 3; round += 1) {
      const late = { ...madeUp(CLOSED.fromMs + random() * (CLOSED.toMs - CLOSED.fromMs)), user_id: 'late' };
      await recordAll(ctx, organization._id, [late]);
      const after = await readUsage(ctx, organization, CLOSED);
      expect(after.totals.signals).toBe(before.totals.signals + round + 1);
      expect(after.groups.find(({ key }) => key.user_id === 'late')?.signals).toBe(round + 1);
    }
    const withLate = await answers();
    await usageSheetRows(ctx).deleteMany({ org_id: organization._id });
    expect(await answers(), `seed ${SEED}`).toEqual(withLate);
  });

  it('are made again when their rollups have changed; one that claims to be current and is not is an error', async () => {
    const settle = (repair: boolean) => reconcileUsage(ctx, spare, { repair, fromMs: NOW - 4 * DAY });
    await recordAll(ctx, spare._id, [madeUp(NOW - 3 * DAY)]);
    await settle(true);
    await recordAll(ctx, spare._id, [madeUp(NOW - 3 * DAY)]);
    expect(await settle(false)).toMatchObject({ wrong: 0 });
    expect(await settle(true)).toMatchObject({ wrong: 0 });
    const sheets = usageSheetRows(ctx);
    const [sheet] = await sheets.find({ org_id: spare._id, period: 'day' }).toArray();
    await sheets.updateOne({ _id: sheet?._id ?? '' }, { $set: { values: '[["x"],["x"],["x"],["x"]]' } });
    expect(await settle(false)).toMatchObject({ wrong: 1, repaired: 0 });
    expect(await settle(true)).toMatchObject({ wrong: 1, repaired: 1 });
    expect(await sheets.findOne({ _id: sheet?._id ?? '' })).toEqual(sheet);
  });

  it('add money beyond 2^53 nano-USD exactly, and take it away again', () => {
    const nusd = [2 ** 53 - 1, 2 ** 53 - 3, 7];
    const zeros = { sessions: 0, signals: 1, errors: 0, interventions: 0, tokens_in: 0, tokens_out: 0 };
    const others = { cache_read_tokens: 0, cache_write_tokens: 0, unpriced_signals: 0 };
    const rollups = nusd.map((cost_nusd, index): Rollup => {
      const of = { user_id: `u${index}`, project_id: 'p', model: 'm', adapter: 'a' };
      const row = { _id: `${index}`, org_id: 'org', period: 'day' as const, start: new Date(0), ...of };
      return { ...row, ...zeros, ...others, cost_nusd };
    });
    const sheet = sheetOf('org', { period: 'day', fromMs: 0 }, rollups, 1);
    if (!sheet) throw new Error('No sheet');
    const open = {
      values: JSON.parse(sheet.values),
      cells: new Float64Array(new Uint8Array(sheet.cells).buffer),
    };
    const tallies = new Map<string, Tally>();
    const total = () => [...tallies.values()].map((tally) => sumsOfTally(tally).cost_nusd);
    for (const _ of nusd) addSheet(tallies, open, { startMs: 0, sign: 1, match: {}, by: ['project_id'] });
    const sum = nusd.reduce((all, one) => all + BigInt(one), 0n);
    expect(total()).toEqual([sum * 3n]);
    for (const _ of nusd) addSheet(tallies, open, { startMs: 0, sign: -1, match: {}, by: ['project_id'] });
    expect(total()).toEqual([0n]);
  });
});
