import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { makeSnapshots } from '../../shared/core/calls/usage/make-snapshots.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { dayAt } from '../../shared/platform/basics/utc-days.ts';
import { closeMonths } from '../../shared/wings/push/closing/close-months.ts';
import { exportRunRows } from '../../shared/wings/push/destinations/model.ts';
import { askForRun } from '../../shared/wings/push/destinations/runs/ask-for-run.ts';
import { runDestination } from '../../shared/wings/push/destinations/runs/run-destination.ts';
import {
  checkManifests,
  filesIn,
  type Manifest,
  makeDestination,
  newFolder,
} from '../support/destinations.ts';
import { makeSignal } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { anyCall } from '../support/random-calls.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-01-20T12:00:00Z');
const folder = newFolder();
const { api, ctx, clock, tenant } = await fixture({ clock: START, env: { EXPORT_FOLDER: folder } });

const call = fc.record({
  kind: fc.constant('call' as const),
  daysBack: fc.integer({ min: 1, max: 34 }),
  user_id: fc.constantFrom('ada', 'bob'),
  project_id: fc.constantFrom('shop', undefined),
  call: anyCall,
});

const act = fc.oneof(
  { weight: 8, arbitrary: call },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('void' as const), at: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), days: fc.integer({ min: 1, max: 12 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('move' as const), closeDay: fc.integer({ min: 1, max: 28 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('close' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('run' as const) }) },
);
type Act = typeof act extends fc.Arbitrary<infer Made> ? Made : never;

type Row = Record<string, string>;
const nusd = (money = '') => BigInt(money.replace('.', ''));

/** A story is some thirty acts, each of which may write or read every file again. */
const STORIES = Number(process.env.LAW_RUNS ?? 300) / 30;

let years = 0;
/** An organization whose calls of each act are posted, voided and exported. */
async function openStory(timezone: string) {
  // A month that has a closed one before it soon.
  years += 1;
  clock.set(Date.UTC(2026 + years, 0, 25, 12));
  const { orgId, key } = await tenant({ timezone });
  const startMs = clock.now();
  const since = dayAt(startMs - 36 * DAY_MS);
  const { _id } = await makeDestination(ctx, orgId, { since });
  const calls: { id: string; session: string; tsMs: number }[] = [];
  const finals = new Map<string, string>();
  const corrections = new Set<string>();
  let made = 0;

  async function run(): Promise<void> {
    const asked = await askForRun(ctx, orgId, _id, { from: null, to: null, force: false });
    await runDestination(ctx, _id);
    expect(await exportRunRows(ctx).findOne({ _id: asked._id })).toMatchObject({
      state: 'succeeded',
      code: null,
    });
    await expectLaw();
  }

  /** Each charge day sums to usage over all its partitions, and final partitions are as they were. */
  async function expectLaw(): Promise<void> {
    const files = await filesIn(join(folder, orgId));
    const { focus_closed_through: closedThrough = '' } = await readOrganization(ctx, orgId);
    const pushed = new Map<string, bigint>();
    for (const [path, manifest] of Object.entries(checkManifests(files))) {
      const rows = rowsOf(files, path, manifest);
      const sum = rows.reduce((all, { EffectiveCost }) => all + nusd(EffectiveCost), 0n);
      expect(nusd(manifest.sums.EffectiveCost)).toBe(sum);
      const day = manifest.charge_date;
      const isCorrection = manifest.billing_period !== day.slice(0, 7);
      if (isCorrection && rows.length > 0) corrections.add(`${path} ${sum}`);
      for (const row of rows) expectPlace(row, manifest, isCorrection);
      pushed.set(day, (pushed.get(day) ?? 0n) + sum);
      const isClosed = String(manifest.billing_period) <= closedThrough;
      expect([path, manifest.state]).toEqual([path, isClosed ? 'final' : 'open']);
      if (manifest.state !== 'final') continue;
      const names = JSON.stringify(manifest.files);
      expect(finals.get(path) ?? names).toBe(names);
      finals.set(path, names);
    }
    for (const [day, sum] of await usageByDay()) {
      expect([day, pushed.get(day) ?? 0n]).toEqual([day, sum]);
      pushed.delete(day);
    }
    for (const [day, sum] of pushed) expect([day, sum]).toEqual([day, 0n]);
  }

  /** The costs of the days in UTC. Usage of another timezone tells them for 35 days, the calls themselves for longer. */
  async function usageByDay(): Promise<Map<string, bigint>> {
    const level = timezone === 'UTC' ? 'daily' : 'focus';
    const range = { from: since, to: dayAt(clock.now()), timezone: 'UTC', level };
    const path = `/api/v1/usage/export?${new URLSearchParams(range).toString()}`;
    const { text, status } = await api.call(path, { key });
    expect(status, text).toBe(200);
    const sums = new Map<string, bigint>();
    for (const row of parse(text, { columns: true }) as Row[]) {
      const day = (row.start ?? row.ChargePeriodStart ?? '').slice(0, 10);
      sums.set(day, (sums.get(day) ?? 0n) + nusd(row.cost_usd ?? row.EffectiveCost));
    }
    return sums;
  }

  const acts: { [Kind in Act['kind']]: (of: Extract<Act, { kind: Kind }>) => Promise<unknown> } = {
    call: async ({ kind: _, daysBack, call, ...of }) => {
      const tsMs = clock.now() - daysBack * DAY_MS;
      made += 1;
      const id = `call-${made}`;
      const body = { signals: [makeSignal({ ...of, ...call, id, ts: tsMs })] };
      const { body: answer, text } = await api.call('/api/v1/signals', { key, body });
      expect(answer.results[0].status, text).toBe('accepted');
      if (tsMs >= startMs - 35 * DAY_MS) calls.push({ id, session: answer.results[0].session_id, tsMs });
    },
    void: async ({ at }) => {
      const young = calls.filter(({ tsMs }) => tsMs > clock.now() - 35 * DAY_MS);
      const call = young[at % Math.max(1, young.length)];
      if (!call) return;
      const body = { signal_ids: [call.id], reason: 'wrong' };
      const { status, text } = await api.call(`/api/v1/sessions/${call.session}/void`, { key, body });
      expect(status, text).toBe(200);
    },
    pass: async ({ days }) => {
      clock.advance(days * DAY_MS);
      const within = { fromMs: startMs - 40 * DAY_MS, toMs: clock.now() };
      await makeSnapshots(ctx, await readOrganization(ctx, orgId), within);
    },
    move: async ({ closeDay }) => changeOrganization(ctx, orgId, { focus_close_day: closeDay }),
    close: async () => closeMonths(ctx, await readOrganization(ctx, orgId)),
    run,
  };
  return { carryOut: (of: Act) => acts[of.kind](of as never), finals, corrections };
}

function rowsOf(files: Record<string, string>, path: string, { files: named }: Manifest): Row[] {
  return named.flatMap(
    ({ name }) => parse(files[join(dirname(path), name)] ?? '', { columns: true }) as Row[],
  );
}

function expectPlace(row: Row, { billing_period = '', charge_date }: Manifest, isCorrection: boolean): void {
  expect(row.BillingPeriodStart).toBe(`${billing_period}-01T00:00:00Z`);
  expect(row.ChargePeriodStart).toBe(`${charge_date}T00:00:00Z`);
  expect(row.ChargeClass).toBe(isCorrection ? 'Correction' : '');
  expect(row.ConsumedQuantity === '').toBe(isCorrection);
  expect(row.ConsumedUnit === '').toBe(isCorrection);
}

it.each(['UTC', 'Asia/Kolkata'])(
  'what was pushed and its corrections sum to usage on each day, and what is final stays, whatever comes late or is voided (%s)',
  async (timezone) => {
    let [finals, corrections] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 6, maxLength: 40 }), async (acts) => {
        const story = await openStory(timezone);
        const [first] = fc.sample(call, { numRuns: 1, seed: 1 });
        if (first) await story.carryOut({ ...first, daysBack: 1, call: { ...first.call, model: 'gpt-5' } });
        await story.carryOut({ kind: 'pass', days: 13 });
        await story.carryOut({ kind: 'close' });
        for (const one of acts) await story.carryOut(one);
        await story.carryOut({ kind: 'run' });
        await story.carryOut({ kind: 'pass', days: 31 });
        await story.carryOut({ kind: 'close' });
        await story.carryOut({ kind: 'run' });
        finals += story.finals.size;
        corrections += story.corrections.size;
      }),
      { numRuns: STORIES },
    );
    expect(finals).toBeGreaterThan(STORIES);
    expect(corrections).toBeGreaterThan(STORIES);
  },
  300_000,
);
