import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { signalRows } from '../../../../../shared/core/calls/signals/model.ts';
import { changeOrganization } from '../../../../../shared/people/change-organization.ts';
import { dueRows } from '../../../../../shared/platform/due/model.ts';
import { ExportFailure, type FailureCode } from '../../../../../shared/wings/push/destinations/failures.ts';
import { deleteDestination } from '../../../../../shared/wings/push/destinations/manage-destinations.ts';
import {
  type Destination,
  destinationRows,
  exportPartitionRows,
  exportRunRows,
  type RunOptions,
} from '../../../../../shared/wings/push/destinations/model.ts';
import { askForRun } from '../../../../../shared/wings/push/destinations/runs/ask-for-run.ts';
import { beginRun } from '../../../../../shared/wings/push/destinations/runs/begin-run.ts';
import { runDestination } from '../../../../../shared/wings/push/destinations/runs/run-destination.ts';
import { SCHEDULED } from '../../../../../shared/wings/push/destinations/schedule.ts';
import { openStore } from '../../../../../shared/wings/push/destinations/stores/open-store.ts';
import type { ObjectStore } from '../../../../../shared/wings/push/destinations/stores/store.ts';
import { updateDestination } from '../../../../../shared/wings/push/destinations/update-destination.ts';
import {
  checkManifests,
  filesIn,
  makeDestination,
  newFolder,
  runAndKill,
} from '../../../../support/destinations.ts';
import { makeSignal } from '../../../../support/factories.ts';
import { fixture } from '../../../../support/fixture.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse('2026-02-03T12:00:00Z');
const folder = newFolder();
const spoolFolder = newFolder();
const fixed = await fixture({
  clock: START,
  env: { EXPORT_FOLDER: folder, EXPORT_SPOOL_DIR: spoolFolder },
  perTest: true,
});
const { ctx, clock, send, ask, spend } = fixed;
let orgId: string;
beforeEach(() => {
  clock.set(START);
  ({ orgId } = fixed);
});

const make = (fields: Record<string, unknown> = {}) => makeDestination(ctx, orgId, fields);
const FEB_1 = Date.parse('2026-02-01T10:00:00Z');
const FEB_2 = FEB_1 + DAY_MS;
const twoDays = () =>
  spend(
    { ts: FEB_1, tokens_in: 12_345, tokens_out: 777 },
    { ts: FEB_1 + HOUR_MS, user_id: 'bob', model: 'no-such-model' },
    { ts: FEB_2, cost_usd: 1.25, project_id: 'shop' },
  );
/** A call that comes late, which is voided by what is returned. */
const spendWrong = async (ts: number) => {
  const { results } = await ask('/api/v1/signals', { signals: [makeSignal({ ts, id: 'wrong' })] });
  const body = { signal_ids: ['wrong'], reason: 'a mistake' };
  return () => ask(`/api/v1/sessions/${results[0].session_id}/void`, body);
};
const dayOf = (day: string) => `out/focus/1.2/billing_period=2026-02/charge_date=${day}`;
const own = () => join(folder, orgId);
const read = () => filesIn(own());
const untilDue = async (id: string) => {
  const due = await dueRows(ctx).findOne({ _id: `run-destination ${id}` });
  clock.set(due?.due_at.getTime() ?? clock.now());
};
/** A destination that is due, of an organization with two days of calls. */
const makeDue = async (fields: Record<string, unknown> = {}) => {
  await twoDays();
  const destination = await make(fields);
  await untilDue(destination._id);
  return destination;
};
const runsOf = ({ _id }: Destination) =>
  exportRunRows(ctx).find({ destination_id: _id }).sort({ created_at: -1 }).toArray();
const run = async (destination: Destination) => {
  await untilDue(destination._id);
  await runDestination(ctx, destination._id);
  return (await runsOf(destination))[0];
};
const stored = ({ _id }: Destination) => destinationRows(ctx).findOne({ _id });
const manifestOf = async (day: string) => checkManifests(await read())[`${dayOf(day)}/manifest.json`];
const unavailable = () => ({ read: () => Promise.reject(new ExportFailure('unavailable')) });

/** A turn of a run whose place does some acts otherwise. */
const runAt = (
  { _id }: Destination,
  change: (store: ObjectStore, signal?: AbortSignal) => Partial<ObjectStore>,
  by = ctx,
) =>
  runDestination(by, _id, (context, of, signal) => {
    const store = openStore(context, of);
    return { ...store, ...change(store, signal) };
  });

/** Does something the first time. */
function once(act: () => Promise<unknown>): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (!isDone) await act();
    isDone = true;
  };
}

test('a run writes each finished day since the first, whose manifest sums to usage to the nanodollar', async () => {
  const destination = await makeDue({
    levels: [
      { level: 'focus', format: 'csv' },
      { level: 'daily', format: 'ndjson' },
      { level: 'sessions', format: 'parquet' },
    ],
  });
  const done = await run(destination);
  expect(done).toMatchObject({ state: 'succeeded', trigger: 'schedule', code: null, partitions_written: 6 });
  const manifests = checkManifests(await read());
  const days = ['2026-02-01', '2026-02-02'];
  const folders = [...days.map((day) => `out/daily/date=${day}`), ...days.map(dayOf)];
  folders.push(...days.map((day) => `out/sessions/date=${day}`));
  expect(Object.keys(manifests)).toEqual(folders.map((path) => `${path}/manifest.json`));
  for (const day of days) {
    const next = new Date(Date.parse(day) + DAY_MS).toISOString();
    const daily = await send(
      `/api/v1/usage/export?level=daily&format=csv&timezone=UTC&from=${day}T00:00:00Z&to=${next}`,
    );
    const nanos = [...daily.text.matchAll(/,(\d+)\.(\d{9}),/g)].map(([, usd, nano]) =>
      BigInt(`${usd}${nano}`),
    );
    const sum = nanos.reduce((all, one) => all + one, 0n);
    const text = `${sum / 1_000_000_000n}.${String(sum % 1_000_000_000n).padStart(9, '0')}`;
    expect(manifests[`${dayOf(day)}/manifest.json`]?.sums.EffectiveCost).toBe(text);
    expect(manifests[`out/daily/date=${day}/manifest.json`]?.sums.cost_usd).toBe(text);
    expect(manifests[`out/sessions/date=${day}/manifest.json`]?.sums.cost_usd).toBe(text);
  }
  expect(manifests[`${dayOf('2026-02-01')}/manifest.json`]).toEqual({
    manifest_version: 1,
    level: 'focus',
    focus_version: '1.2',
    schema_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    billed: 'computed',
    org_id: orgId,
    destination_id: destination._id,
    billing_period: '2026-02',
    charge_date: '2026-02-01',
    format: 'csv',
    state: 'open',
    files: [
      {
        name: expect.stringMatching(/^part-000-[0-9a-f]{16}\.csv$/),
        rows: 2,
        bytes: expect.any(Number),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ],
    rows: 2,
    sums: expect.objectContaining({ BilledCost: expect.stringMatching(/^0\.\d{9}$/) }),
    unpriced: { signals: 1, tokens: 110 },
    run_id: done?._id,
    written_at: new Date(clock.now()).toISOString(),
  });
  expect(await readdir(spoolFolder)).toEqual([]);
});

test('a file is the download of its day, byte for byte, and beside it are marker and metadata', async () => {
  const destination = await makeDue();
  await run(destination);
  const files = await read();
  const range = 'from=2026-02-02T00:00:00Z&to=2026-02-03T00:00:00Z';
  const download = await send(`/api/v1/usage/export?level=focus&format=csv&${range}`);
  const [part = ''] = Object.keys(files).filter((path) => path.startsWith(`${dayOf('2026-02-02')}/part-`));
  expect(files[part]).toBe(download.text);
  expect(JSON.parse(files['out/_governor.json'] ?? '')).toEqual({
    org_id: orgId,
    destination_id: destination._id,
  });
  const { DataGenerator, Schema } = await ask(`/api/v1/usage/export/metadata?${range}`);
  expect(JSON.parse(files['out/focus/1.2/focus_metadata.json'] ?? '')).toEqual({ DataGenerator, Schema });
});

test('a day has one row of each user and model, also where the organization came to UTC from another timezone', async () => {
  for (const [days, timezone] of [
    [10, 'Europe/Berlin'],
    [1, 'UTC'],
  ] as const) {
    clock.set(START - days * DAY_MS);
    await changeOrganization(ctx, orgId, { timezone });
  }
  clock.set(START);
  // In Berlin it was the next day.
  const late = Date.parse('2026-02-01T23:30:00Z');
  await spend(
    { ts: FEB_1, cost_usd: 1 },
    { ts: late, cost_usd: 2 },
    { ts: late, cost_usd: 4, user_id: 'bob' },
  );
  await run(await make({ levels: [{ level: 'daily', format: 'ndjson' }] }));
  const files = Object.entries(await read());
  const [, text = ''] = files.find(([path]) => path.startsWith('out/daily/date=2026-02-01/part-')) ?? [];
  const rows = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const start = '2026-02-01T00:00:00.000Z';
  expect(
    rows.map(({ start, user_id, signals, cost_usd }) => ({ start, user_id, signals, cost_usd })),
  ).toEqual([
    { start, user_id: 'ada', signals: 2, cost_usd: 3 },
    { start, user_id: 'bob', signals: 1, cost_usd: 4 },
  ]);
});

test('a day of which a price rule made a cost is written as Parquet', async () => {
  await ask('/api/v1/price-rules', { name: 'Half', from: '2026-01-01', match: {}, discount_percent: 50 });
  await spend({ ts: FEB_1 });
  const destination = await make({ levels: [{ level: 'focus', format: 'parquet' }] });
  expect(await run(destination)).toMatchObject({ state: 'succeeded', code: null, partitions_written: 1 });
  expect(await manifestOf('2026-02-01')).toMatchObject({ format: 'parquet', rows: 2 });
});

test('days that are unchanged are left alone; a late call writes its day again and no other', async () => {
  const destination = await makeDue();
  await run(destination);
  const before = await read();
  expect(await run(destination)).toMatchObject({ partitions_written: 0, state: 'succeeded' });
  expect(await read()).toEqual(before);
  await spend({ ts: FEB_1 + 2 * HOUR_MS, user_id: 'eve' });
  expect(await run(destination)).toMatchObject({ partitions_written: 1 });
  const after = await read();
  const manifests = checkManifests(after);
  expect(manifests[`${dayOf('2026-02-01')}/manifest.json`]?.rows).toBe(4);
  expect(after[`${dayOf('2026-02-02')}/manifest.json`]).toBe(before[`${dayOf('2026-02-02')}/manifest.json`]);
  const parts = Object.keys(after).filter((path) => path.startsWith(`${dayOf('2026-02-01')}/part-`));
  expect(parts).toHaveLength(1);
  expect(Object.keys(before)).not.toContain(parts[0]);
});

test('a day that loses all its rows keeps a manifest without files', async () => {
  const voidIt = await spendWrong(FEB_1);
  const destination = await make();
  await run(destination);
  await voidIt();
  await run(destination);
  const files = await read();
  expect(Object.keys(files).filter((path) => path.startsWith(`${dayOf('2026-02-01')}/`))).toEqual([
    `${dayOf('2026-02-01')}/manifest.json`,
  ]);
  expect(checkManifests(files)[`${dayOf('2026-02-01')}/manifest.json`]).toMatchObject({ files: [], rows: 0 });
});

test('a day whose calls have no price has no partition, and is read once', async () => {
  await spend({ ts: FEB_1, model: 'no-such-model' });
  const destination = await make();
  expect(await run(destination)).toMatchObject({ partitions_written: 0, state: 'succeeded' });
  expect(Object.keys(await read())).toEqual(['out/_governor.json', 'out/focus/1.2/focus_metadata.json']);
  expect(await ask(`/api/v1/destinations/${destination._id}/partitions`)).toMatchObject({
    data: [],
    total: 0,
  });
});

test('a run that is killed at any act is repeated to the same files, and no manifest ever names a file that is not there', async () => {
  const destination = await makeDue({
    levels: [
      { level: 'focus', format: 'parquet' },
      { level: 'sessions', format: 'csv' },
    ],
  });
  const { _id } = destination;
  let kills = 0;
  for (const when of ['before', 'after'] as const)
    for (let at = 1, isKilled = true; isKilled; at += 1) {
      await spend({ ts: FEB_1 + at * 60_000, user_id: `${when}-${at}` });
      await untilDue(_id);
      isKilled = await runAndKill(ctx, _id, at, when);
      if (!isKilled) break;
      kills += 1;
      checkManifests(await read());
      await runDestination(ctx, _id);
      const files = await read();
      const manifests = checkManifests(files);
      const named = Object.values(manifests).flatMap((manifest) => manifest.files.map(({ name }) => name));
      const parts = Object.keys(files).filter((path) => path.includes('/part-'));
      expect(new Set(parts.map((path) => path.split('/').at(-1)))).toEqual(new Set(named));
      expect(Object.keys(files).filter((path) => path.endsWith('.unfinished'))).toEqual([]);
      const states = new Set((await runsOf(destination)).map(({ state }) => state));
      expect([...states].filter((state) => state === 'queued' || state === 'running')).toEqual([]);
    }
  expect(kills).toBeGreaterThan(15);
  expect(await readdir(spoolFolder)).toEqual([]);
});

test('a run that another worker has taken over writes no manifest and records nothing', async () => {
  const destination = await makeDue();
  const takeOver = once(() => beginRun(ctx, destination._id));
  await runAt(destination, (store) => ({ list: (prefix) => takeOver().then(() => store.list(prefix)) }));
  expect(Object.keys(checkManifests(await read()))).toEqual([]);
  expect(await exportPartitionRows(ctx).countDocuments({ destination_id: destination._id })).toBe(0);
  expect(await stored(destination)).toMatchObject({ run_id: expect.any(String), last_run_id: null });
  await runDestination(ctx, destination._id);
  expect(await stored(destination)).toMatchObject({ run_id: null, failures: 0, code: null });
});

test.each([
  ['before a day is written', 0],
  ['while a day is recorded', 1],
])(
  'a destination that moves %s ends its run as stale, and is written at its new place from the first day on',
  async (_when, written) => {
    const destination = await makeDue();
    const move = once(() => updateDestination(ctx, orgId, destination._id, { prefix: 'new' }));
    await runAt(destination, (store) => ({
      list: async (prefix) => {
        if (written === 0) await move();
        return store.list(prefix);
      },
      putText: async (...all) => {
        const etag = await store.putText(...all);
        if (all[0].endsWith('manifest.json')) await move();
        return etag;
      },
    }));
    expect(Object.keys(checkManifests(await read()))).toHaveLength(written);
    expect(await exportPartitionRows(ctx).countDocuments({ destination_id: destination._id })).toBe(0);
    expect(await stored(destination)).toMatchObject({ failures: 0, code: null, run_id: null });
    expect(await run(destination)).toMatchObject({ state: 'succeeded', partitions_written: 2 });
    expect(Object.keys(await read()).filter((path) => /^new.*manifest/.test(path))).toHaveLength(2);
  },
);

test('a worker that stalls before it deletes a file deletes none that another one has named since', async () => {
  const destination = await makeDue();
  await run(destination);
  const voidIt = await spendWrong(FEB_1 + 2 * HOUR_MS);
  const removed: string[] = [];
  await untilDue(destination._id);
  await runAt(destination, (store) => ({
    remove: async (path) => {
      if (removed.push(path) === 1) {
        // The day is again what it was before, and another worker takes over the run.
        await voidIt();
        await runDestination(ctx, destination._id);
      }
      await store.remove(path);
    },
  }));
  expect(removed).toHaveLength(1);
  expect(await manifestOf('2026-02-01')).toMatchObject({ rows: 2 });
  await run(destination);
  expect(Object.keys(await read()).filter((path) => path.includes('/part-'))).toHaveLength(2);
});

test('a run ends when its destination is deleted, though its place never answers', async () => {
  const destination = await makeDue();
  const silent = (_store: ObjectStore, signal?: AbortSignal) => ({
    read: async () => {
      await deleteDestination(ctx, orgId, destination._id);
      return new Promise<never>((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason)),
      );
    },
  });
  await runAt(destination, silent, { ...ctx, config: { ...ctx.config, timeScale: 1_000 } });
  expect(await stored(destination)).toBeNull();
});

test('a file that a killed worker left half-written goes with the next run that writes its day', async () => {
  const destination = await makeDue();
  const path = join(own(), dayOf('2026-02-02'));
  await mkdir(path, { recursive: true });
  const id = '00000000-0000-4000-8000-000000000000';
  for (const name of ['part-000-0123456789abcdef.csv', 'manifest.json', 'foreign.csv'])
    await writeFile(join(path, `${name}.${id}.unfinished`), 'half');
  await run(destination);
  const left = (await readdir(path)).filter((name) => name.endsWith('.unfinished'));
  expect(left).toEqual([`foreign.csv.${id}.unfinished`]);
});

const elsewhere = newFolder();
const put = async (path: string, act: (path: string) => Promise<void>) => {
  await mkdir(join(own(), path, '..'), { recursive: true });
  await act(join(own(), path));
};
const changeCall = () =>
  signalRows(ctx).updateOne({ org_id: orgId, project_id: 'shop' }, { $inc: { cost_nusd: 1 } });

test.each<[what: string, code: FailureCode, parts: number, prepare: () => Promise<unknown>]>([
  ['below the prefix of another destination', 'prefix_in_use', 0, async () => run(await make())],
  [
    'over a manifest that somebody else wrote',
    'prefix_in_use',
    // A file that no manifest names.
    1,
    () => put(`${dayOf('2026-02-02')}/manifest.json`, (path) => writeFile(path, '{"org_id":"org_other"}')),
  ],
  ['behind a symbolic link', 'not_allowed', 0, () => put('out', (path) => symlink(elsewhere, path))],
  ['that does not sum to usage', 'sums_differ', 0, changeCall],
])('a day is not written %s: %s', async (_what, code, parts, prepare) => {
  await twoDays();
  await prepare();
  const before = await read();
  const destination = await make({ name: 'Second' });
  expect(await run(destination)).toMatchObject({ state: 'failed', code });
  const after = await read();
  expect(after).toMatchObject(before);
  const added = Object.keys(after).filter((path) => !(path in before) && path.includes('charge_date='));
  expect(added).toEqual(Array(parts).fill(expect.stringContaining('/part-')));
  expect(await readdir(elsewhere)).toEqual([]);
  expect(await stored(destination)).toMatchObject({ failures: 1, code });
});

test('a prefix of a deleted destination is taken over by the next one, with its days', async () => {
  const first = await makeDue();
  await run(first);
  const before = await read();
  await deleteDestination(ctx, orgId, first._id);
  const second = await make({ name: 'Second' });
  expect(await run(second)).toMatchObject({ state: 'succeeded', partitions_written: 2 });
  const after = await read();
  expect(Object.keys(after)).toEqual(Object.keys(before));
  for (const { destination_id } of Object.values(checkManifests(after)))
    expect(destination_id).toBe(second._id);
  expect(after['out/_governor.json']).toContain(second._id);
});

test.each([
  [1, { state: 'succeeded', code: null, partitions_written: 2 }],
  [9, { state: 'failed', code: 'stale', partitions_written: 0 }],
])(
  'a day that changes %s times while its file is made is made again, at most three times',
  async (changes, ended) => {
    const destination = await makeDue();
    const rows = signalRows(ctx);
    const aggregate = rows.aggregate.bind(rows);
    let changed = 0;
    // The calls without a price are counted before the others are read.
    const counting = vi.spyOn(rows, 'aggregate').mockImplementation(((stages: object[]) => ({
      toArray: async () => {
        changed += 1;
        if (changed <= changes) await spend({ ts: FEB_2 + changed * 60_000, cost_usd: 0.25 });
        return aggregate(stages).toArray();
      },
    })) as unknown as typeof rows.aggregate);
    const done = await run(destination);
    counting.mockRestore();
    expect(done).toMatchObject(ended);
    const cost = (await manifestOf('2026-02-02'))?.sums.EffectiveCost;
    expect(cost).toBe(ended.code === null ? '1.500000000' : undefined);
  },
);

test.each<[how: string, asked: RunOptions | null]>([
  ['by the schedule', null],
  ['on request', { from: '2026-02-01', to: '2026-02-01', force: true }],
])(
  'a run %s that fails is tried again as it was, after the waits of webhooks, then at the hour',
  async (_how, asked) => {
    await twoDays();
    const destination = await make();
    if (asked) await askForRun(ctx, orgId, destination._id, asked);
    const waits: number[] = [];
    for (let failures = 1; failures <= 5; failures += 1) {
      await untilDue(destination._id);
      const atMs = clock.now();
      await runAt(destination, unavailable);
      expect(await stored(destination)).toMatchObject({ failures, code: 'unavailable', run_id: null });
      await untilDue(destination._id);
      waits.push(clock.now() - atMs);
    }
    const failed = { state: 'failed', code: 'unavailable' };
    const same = { ...failed, ...(asked ? { trigger: 'manual', ...asked } : SCHEDULED) };
    const runs = await exportRunRows(ctx)
      .find({ destination_id: destination._id })
      .sort({ attempt: 1 })
      .toArray();
    expect(runs).toMatchObject([1, 2, 3, 4, 5].map((attempt) => ({ ...same, attempt })));
    expect(waits.slice(0, 4)).toEqual([30_000, 300_000, 1_800_000, 7_200_000]);
    expect(new Date(clock.now()).toISOString()).toMatch(/T03:00:00\.000Z$/);
  },
);

test('a run on request begins at once, and writes what it is narrowed to', async () => {
  const destination = await makeDue();
  await run(destination);
  const before = await read();
  const options = { from: '2026-02-02', to: '2026-02-02', force: true };
  const { _id } = await askForRun(ctx, orgId, destination._id, options);
  await runDestination(ctx, destination._id);
  expect(await exportRunRows(ctx).findOne({ _id })).toMatchObject({
    trigger: 'manual',
    state: 'succeeded',
    partitions_written: 1,
  });
  const after = await read();
  const changed = Object.keys(after).filter((path) => after[path] !== before[path]);
  expect(changed).toEqual([`${dayOf('2026-02-02')}/manifest.json`]);
});

test('a run that is asked for while another is unfinished is that one only where it is the same, else refused', async () => {
  const destination = await makeDue();
  const options = { from: '2026-02-01', to: '2026-02-02', force: true };
  const asked = await askForRun(ctx, orgId, destination._id, options);
  for (const other of [{ from: null }, { to: '2026-02-01' }, { force: false }])
    await expect(askForRun(ctx, orgId, destination._id, { ...options, ...other })).rejects.toMatchObject({
      code: 'conflict',
      message: 'A run is under way: ask again when it has ended.',
    });
  expect((await askForRun(ctx, orgId, destination._id, options))._id).toBe(asked._id);
  expect(await exportRunRows(ctx).countDocuments({ destination_id: destination._id })).toBe(1);
});

test.each([
  ['ends', 0],
  ['is tried again', 3],
])(
  'a run on request that %s past the hour is followed at once by the scheduled run of that day',
  async (_how, failures) => {
    const destination = await makeDue();
    await run(destination);
    clock.set(Date.parse('2026-02-05T02:30:00Z'));
    await run(destination);
    clock.set(Date.parse('2026-02-06T02:30:00Z'));
    const { _id } = destination;
    await askForRun(ctx, orgId, _id, { from: '2026-02-01', to: '2026-02-01', force: true });
    for (let failure = 1; failure <= failures; failure += 1) {
      await untilDue(_id);
      await runAt(destination, unavailable);
    }
    await untilDue(_id);
    await runAt(destination, (store) => ({
      list: (prefix) => {
        clock.set(Math.max(clock.now(), Date.parse('2026-02-06T03:10:00Z')));
        return store.list(prefix);
      },
    }));
    const endedMs = clock.now();
    const manual = { state: 'succeeded', force: true, trigger: 'manual', attempt: failures + 1 };
    expect(await runsOf(destination)).toContainEqual(expect.objectContaining(manual));
    expect(await run(destination)).toMatchObject({ trigger: 'schedule', state: 'succeeded', force: false });
    expect(clock.now()).toBe(endedMs);
    expect(await stored(destination)).toMatchObject({ through: '2026-02-05' });
    await untilDue(_id);
    expect(new Date(clock.now()).toISOString()).toBe('2026-02-07T03:00:00.000Z');
  },
);

test('a run gives its place to others after a minute, and goes on with the day that is next', async () => {
  const destination = await makeDue();
  await run(destination);
  const options = { from: null, to: null, force: true };
  const { _id } = await askForRun(ctx, orgId, destination._id, options);
  const turn = () =>
    runAt(destination, (store) => ({
      putFile: (path, ...all) => {
        written.push(path);
        clock.advance(61_000);
        return store.putFile(path, ...all);
      },
    }));
  const written: string[] = [];
  expect(await turn()).toEqual({ notBeforeMs: clock.now() + 2_000 });
  expect(written.map((path) => path.includes('2026-02-02'))).toEqual([true]);
  expect(await exportRunRows(ctx).findOne({ _id })).toMatchObject({ state: 'running' });
  // The day that has ended meanwhile is left to the next run.
  clock.advance(DAY_MS);
  for (let turns = 0; (await turn()) !== undefined; turns += 1) expect(turns).toBeLessThan(40);
  expect(written.filter((path) => path.includes('2026-02-01'))).toHaveLength(1);
  expect(written).toHaveLength(2);
  expect(await exportRunRows(ctx).findOne({ _id })).toMatchObject({
    state: 'succeeded',
    partitions_written: 2,
  });
  expect(await stored(destination)).toMatchObject({ through: '2026-02-03', run_id: null });
});

test('a run whose destination was changed between two turns begins with its newest day', async () => {
  const destination = await makeDue();
  const turn = () =>
    runAt(destination, (store) => ({
      putFile: (...all) => {
        clock.advance(61_000);
        return store.putFile(...all);
      },
    }));
  expect(await turn()).toBeDefined();
  await updateDestination(ctx, orgId, destination._id, { prefix: 'new' });
  while ((await turn()) !== undefined);
  const moved = Object.keys(await read()).filter((path) => /^new.*manifest/.test(path));
  expect(moved).toHaveLength(2);
});
