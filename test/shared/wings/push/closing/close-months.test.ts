import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeEach, expect, test } from 'vitest';
import { auditRows } from '../../../../../shared/core/accounts/audit/model.ts';
import { organizationRows } from '../../../../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../../../../shared/core/accounts/organizations/read-organization.ts';
import { organizationChangeOf } from '../../../../../shared/core/accounts/organizations/settings.ts';
import { signalRows } from '../../../../../shared/core/calls/signals/model.ts';
import { quarterHourRetention } from '../../../../../shared/core/calls/usage/model.ts';
import { closeDay } from '../../../../../shared/wings/push/closing/close-day.ts';
import { closeAllMonths, closeMonths } from '../../../../../shared/wings/push/closing/close-months.ts';
import { focusClosedRows } from '../../../../../shared/wings/push/closing/model.ts';
import { readDaily } from '../../../../../shared/wings/push/closing/read-usage.ts';
import { type Destination, exportRunRows } from '../../../../../shared/wings/push/destinations/model.ts';
import { askForRun } from '../../../../../shared/wings/push/destinations/runs/ask-for-run.ts';
import { runDestination } from '../../../../../shared/wings/push/destinations/runs/run-destination.ts';
import { updateDestination } from '../../../../../shared/wings/push/destinations/update-destination.ts';
import { settings } from '../../../../../shared/wings/push/settings.ts';
import { checkManifests, filesIn, makeDestination, newFolder } from '../../../../support/destinations.ts';
import { makeSignal } from '../../../../support/factories.ts';
import { fixture } from '../../../../support/fixture.ts';
import { repriceInParts } from '../../../../support/reprice.ts';

const DAY_MS = 86_400_000;
const at = (time: string) => Date.parse(`2026-${time}:00Z`);
const folder = newFolder();
const { ctx, clock, send, tenant } = await fixture({
  clock: at('02-20T12:00'),
  env: { EXPORT_FOLDER: folder, SIGNAL_RETENTION_DAYS: '60' },
});
let orgId: string;
let key: string;

/** An organization of this timezone, made at this time. */
const begin = async (time: string, timezone = 'UTC') => {
  clock.set(at(time));
  ({ orgId, key } = await tenant({ timezone }));
};
beforeEach(() => begin('02-20T12:00'));

const ask = async (path: string, body?: object) => {
  const answer = await send(`/api/v1/${path}`, body, { key });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
};
const post = async (...signals: Parameters<typeof makeSignal>[0][]) => {
  const { body } = await ask('signals', { signals: signals.map(makeSignal) });
  return body.results.map(({ session_id }: { session_id: string }) => session_id) as string[];
};
const voidCall = (session: string | undefined, id: string) =>
  ask(`sessions/${session}/void`, { signal_ids: [id], reason: 'a mistake' });
const changeRow = ($set: object) => organizationRows(ctx).updateOne({ _id: orgId }, { $set });
const close = async () => closeMonths(ctx, await readOrganization(ctx, orgId));
const run = async ({ _id }: Destination, force = false) => {
  const asked = await askForRun(ctx, orgId, _id, { from: null, to: null, force });
  await runDestination(ctx, _id);
  const last = await exportRunRows(ctx).findOne({ _id: asked._id });
  expect([last?.code, last?.detail, last?.state]).toEqual([null, null, 'succeeded']);
  return last;
};
const read = () => filesIn(join(folder, orgId));
type Row = Record<string, string>;
/** The manifests by billing period and day, with the rows of their files. */
const partitions = async () => {
  const files = await read();
  const found: Record<string, { state: string; rows: Row[] }> = {};
  for (const [path, { files: named, state, billing_period, charge_date }] of Object.entries(
    checkManifests(files),
  )) {
    if (billing_period === undefined) continue;
    const rows = named.flatMap(
      ({ name }) => parse(files[join(dirname(path), name)] ?? '', { columns: true }) as Row[],
    );
    found[`${billing_period} ${charge_date}`] = { state, rows };
  }
  return found;
};
const make = (fields: Record<string, unknown> = { since: '2026-01-15' }) =>
  makeDestination(ctx, orgId, fields);
/** The rows of the partition of 19 February in a billing period. */
const rowsOf = async (month: string) => (await partitions())[`${month} 2026-02-19`]?.rows ?? [];
const closings = () =>
  auditRows(ctx).find({ org_id: orgId, action: 'focus.close' }).sort({ at: 1 }).toArray();
const closedRows = () => focusClosedRows(ctx).find({ org_id: orgId }).sort({ day: 1 }).toArray();
const closeFebruary = async () => {
  clock.set(at('03-07T12:00'));
  await close();
};
/** A destination to which these calls were pushed before their month closed, and the sessions of the calls. */
const pushAndClose = async (...signals: Parameters<typeof post>) => {
  const destination = await make();
  const sessions = await post(...signals);
  await run(destination);
  await closeFebruary();
  return { destination, sessions };
};

test('a month closes at its day of the next one, once, however many close it and however often', async () => {
  await post({ ts: at('02-19T10:00'), cost_usd: 1 });
  clock.set(at('03-05T23:59'));
  await close();
  expect((await closings()).map(({ details }) => details.month)).toEqual(['2026-01']);
  clock.set(at('03-06T00:00'));
  const organization = await readOrganization(ctx, orgId);
  const closed = await Promise.all([closeMonths(ctx, organization), closeMonths(ctx, organization)]);
  expect(closed.flat()).toEqual(['2026-02']);
  await closeAllMonths(ctx);
  expect((await closings()).map(({ details }) => details.month)).toEqual(['2026-01', '2026-02']);
  expect(await closedRows()).toMatchObject([
    { billing_period: '2026-02', chunk: 0, head: { chunks: 1, rows: 1, cost_nusd: '1000000000' } },
  ]);
  const metadata = await ask('usage/export/metadata?from=2026-02-19');
  expect(metadata.body.x_ClosedThrough).toBe('2026-02');
});

test('a day of more rows than a chunk has is closed with all of them, in their order', async () => {
  const destination = await make();
  const rows = ['ada', 'bob', 'eve'].map((user_id) => ({ ts: at('02-19T10:00'), cost_usd: 1, user_id }));
  await post(...rows);
  await run(destination);
  const before = await rowsOf('2026-02');
  expect(before).toHaveLength(3);
  clock.set(at('03-07T12:00'));
  await closeMonths({ ...ctx, few: 1 }, await readOrganization(ctx, orgId));
  expect((await closedRows()).map(({ chunk }) => chunk).toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
  await run(destination, true);
  expect(await rowsOf('2026-02')).toEqual(before);
});

test('a closing day that has passed closes at once, and the month stays closed when the day moves on', async () => {
  clock.set(at('03-03T12:00'));
  await close();
  expect(await readOrganization(ctx, orgId)).toMatchObject({ focus_closed_through: '2026-01' });
  await changeRow({ focus_close_day: 2 });
  expect(await close()).toEqual(['2026-02']);
  await changeRow({ focus_close_day: 28 });
  expect(await close()).toEqual([]);
  expect(await readOrganization(ctx, orgId)).toMatchObject({ focus_closed_through: '2026-02' });
});

test('the first closing closes all months before it', async () => {
  await post({ ts: at('01-20T10:00') }, { ts: at('02-19T10:00') });
  clock.set(at('04-07T00:00'));
  expect(await close()).toEqual(['2026-01', '2026-02', '2026-03']);
});

test('a late call to a closed day is a correction in the open month, and the day itself stays as it is', async () => {
  const { destination } = await pushAndClose({ ts: at('02-19T10:00'), tokens_in: 1_000, tokens_out: 0 });
  expect(await run(destination)).toMatchObject({ partitions_written: 1 });
  const before = await partitions();
  expect(before['2026-02 2026-02-19']).toMatchObject({ state: 'final', rows: [{ ChargeClass: '' }] });
  await post(
    { ts: at('02-19T11:00'), tokens_in: 500, tokens_out: 0 },
    { ts: at('02-18T11:00'), cost_usd: 2 },
  );
  expect(await run(destination)).toMatchObject({ partitions_written: 2 });
  const after = await partitions();
  expect(after['2026-02 2026-02-19']).toEqual(before['2026-02 2026-02-19']);
  const correction = {
    ChargeClass: 'Correction',
    BillingPeriodEnd: '2026-04-01T00:00:00Z',
    x_SignalCount: '1',
  };
  const costs = { PricingQuantity: '0.000500000', EffectiveCost: '0.000075000', ListCost: '0.000075000' };
  expect(after).toMatchObject({
    '2026-03 2026-02-19': { state: 'open', rows: [{ ...correction, ...costs }] },
    '2026-03 2026-02-18': { rows: [{ EffectiveCost: '2.000000000' }] },
  });
  expect(await run(destination)).toMatchObject({ partitions_written: 0 });
});

test('the manifest of corrections counts the calls without a price that came after the closing, and those alone', async () => {
  const postBoth = (ts: number, tokens_in: number) =>
    post({ ts, cost_usd: 1 }, { ts, model: 'unheard-of', tokens_in, tokens_out: 0 });
  const destination = await make();
  await postBoth(at('02-19T10:00'), 500);
  await closeFebruary();
  await postBoth(at('02-19T11:00'), 70);
  await run(destination);
  const manifests = Object.values(checkManifests(await read()));
  expect(manifests.map(({ billing_period, unpriced }) => [billing_period, unpriced])).toEqual([
    ['2026-02', { signals: 1, tokens: 500 }],
    ['2026-03', { signals: 1, tokens: 70 }],
  ]);
});

test('what is voided after its month has closed is taken away again', async () => {
  const call = { id: 'wrong', ts: at('02-19T10:00'), tokens_in: 1_000, tokens_out: 10 };
  const { destination, sessions } = await pushAndClose(call);
  await voidCall(sessions[0], 'wrong');
  await run(destination);
  expect(await rowsOf('2026-03')).toMatchObject([
    { EffectiveCost: '-0.000150000', PricingQuantity: '-0.001000000', x_SignalCount: '-1' },
    { EffectiveCost: '-0.000006000', PricingQuantity: '-0.000010000', x_SignalCount: '-1' },
  ]);
});

/** Gives the calls of the last days the prices of a new rule. */
const reprice = async (rule: object) => {
  await ask('price-rules', { name: 'Ours', from: '2026-01-01', ...rule });
  const between = async () => undefined;
  const time = { from: clock.now() - 30 * DAY_MS, to: clock.now(), only_unpriced: false };
  const { applied } = await repriceInParts(ctx, orgId, time, { killAt: 9, between });
  expect(applied.applied).toBe(applied.changed);
};

test('calls that are priced anew after their month has closed are corrections, also where all sums stay', async () => {
  const call = { provider: 'anthropic', model: 'claude-opus-4-8', tokens_in: 100_000, tokens_out: 10_000 };
  const { destination } = await pushAndClose(
    { ts: at('02-19T10:00'), ...call },
    { ts: at('02-19T11:00'), model: 'nobody-knows-it' },
  );
  const corrections = async () => {
    await run(destination);
    return (await rowsOf('2026-03')).map(({ EffectiveCost, SkuPriceId, x_SignalCount }) => [
      SkuPriceId?.split('/rule/')[0],
      EffectiveCost,
      x_SignalCount,
    ]);
  };
  await reprice({ match: { model: 'nobody-*' }, usd_per_million: { input: 1, output: 2 } });
  const ofUnknown = ['openai/nobody-knows-it/recorded', '0.000120000', '1'];
  expect(await corrections()).toEqual([ofUnknown]);
  // The list price itself, by a rule.
  await reprice({ match: { model: 'claude-*' }, usd_per_million: { input: 5, output: 25 } });
  const changed = await corrections();
  expect(changed).toContainEqual(ofUnknown);
  const costs = changed.map(([, cost]) => Number(cost));
  expect(costs.toSorted((a, b) => a - b)).toEqual([-0.5, -0.25, 0.00012, 0.25, 0.5]);
});

test('a correction that is taken back leaves a manifest without files, also when its month has closed', async () => {
  const { destination } = await pushAndClose({ ts: at('02-19T10:00'), cost_usd: 1 });
  const [session] = await post({ id: 'late', ts: at('02-19T11:00'), cost_usd: 5 });
  await run(destination);
  expect(await rowsOf('2026-03')).toHaveLength(1);
  await voidCall(session, 'late');
  clock.set(at('04-08T12:00'));
  await close();
  await run(destination);
  expect((await partitions())['2026-03 2026-02-19']).toMatchObject({ state: 'final', rows: [] });
  expect(await rowsOf('2026-02')).toHaveLength(1);
});

test('a closing that was killed goes on where it was, with the days that it had closed as they were', async () => {
  await post({ ts: at('02-19T10:00'), cost_usd: 1 }, { ts: at('02-10T10:00'), cost_usd: 1 });
  clock.set(at('03-06T00:00'));
  const organization = await readOrganization(ctx, orgId);
  const spoil = (cost_nusd: number) =>
    signalRows(ctx).updateOne({ org_id: orgId, ts: new Date(at('02-10T10:00')) }, { $inc: { cost_nusd } });
  await spoil(1);
  await expect(closeMonths(ctx, organization)).rejects.toThrow('does not sum to usage');
  expect(await focusClosedRows(ctx).countDocuments({ org_id: orgId })).toBe(1);
  expect(await closings()).toMatchObject([{ details: { month: '2026-01' } }]);
  await spoil(-1);
  await post({ ts: at('02-19T11:00'), cost_usd: 2 });
  expect(await close()).toEqual(['2026-02']);
  expect((await closedRows()).map(({ head }) => head?.cost_nusd)).toEqual(['1000000000', '1000000000']);
});

test('a new destination gets the closed months, and another format the same rows', async () => {
  await post({ ts: at('02-19T10:00'), cost_usd: 1 });
  await closeFebruary();
  await post({ ts: at('02-19T11:00'), cost_usd: 2 });
  await changeRow({ name: 'Renamed' });
  const destination = await make();
  await run(destination);
  const closed = await rowsOf('2026-02');
  expect(closed).toMatchObject([{ BillingAccountName: 'Test' }]);
  expect(await rowsOf('2026-03')).toMatchObject([{ BillingAccountName: 'Renamed' }]);
  expect(await run(destination, true)).toMatchObject({ partitions_written: 2 });
  expect(await rowsOf('2026-02')).toEqual(closed);
  await updateDestination(ctx, orgId, destination._id, { levels: [{ level: 'focus', format: 'parquet' }] });
  await run(destination);
  const files = Object.keys(await read()).filter((path) => path.includes('/part-'));
  expect(files.map((path) => path.split('.').at(-1))).toEqual(['parquet', 'parquet']);
});

test('calls that were purged correct nothing, before their month has closed and after', async () => {
  const destination = await make();
  await post({ ts: at('01-20T10:00'), cost_usd: 1 }, { ts: at('02-19T10:00'), cost_usd: 1 });
  await run(destination);
  const before = await partitions();
  clock.set(at('04-25T12:00'));
  await signalRows(ctx).deleteMany({ org_id: orgId, ts: { $lt: new Date(clock.now() - 60 * DAY_MS) } });
  await close();
  await run(destination);
  expect(await partitions()).toEqual(before);
  const unknown = { head: { is_known: false, rows: 0 } };
  expect(await closedRows()).toMatchObject([unknown, unknown]);
});

test('a call that is voided and sent again from another provider changes the file, and of a closed month makes corrections', async () => {
  const call = { ts: at('01-20T10:00'), cost_usd: 0.5, provider: 'aws.bedrock' };
  const [session] = await post({ ...call, id: 'wrong' });
  const destination = await make({ since: '2026-01-01' });
  await close();
  await run(destination);
  await voidCall(session, 'wrong');
  await post({ ...call, id: 'right', provider: 'anthropic' });
  await run(destination);
  const sums = new Map<string, number>();
  for (const { rows } of Object.values(await partitions()))
    for (const { ProviderName = '', EffectiveCost } of rows)
      sums.set(ProviderName, (sums.get(ProviderName) ?? 0) + Number(EffectiveCost));
  expect([...sums].filter(([, cost]) => cost !== 0)).toEqual([['Anthropic', 0.5]]);
});

test('a call that is voided and sent again for another person and project changes the file of sessions', async () => {
  const call = { ts: at('02-19T10:00'), cost_usd: 0.5 };
  const [session] = await post({ ...call, id: 'wrong', user_id: 'ada', project_id: 'p1' });
  const destination = await make({ levels: [{ level: 'sessions', format: 'csv' }] });
  await run(destination);
  await voidCall(session, 'wrong');
  await post({ ...call, id: 'right', user_id: 'bob', project_id: 'p2' });
  await run(destination);
  const parts = Object.entries(await read()).filter(([path]) => path.includes('/part-'));
  expect(parts.map(([, text]) => String(text)).join()).toMatch(/bob.*p2/);
});

/** The zones of both ends of the date line, two with daylight saving time, and one that no hour fits. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/Los_Angeles',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Asia/Kathmandu',
];
/** The costs of a charge day: over all partitions, and as the download has them. */
const costsOf = async (day: string) => {
  const pushed = Object.entries(await partitions()).filter(([name]) => name.endsWith(day));
  const sum = (rows: readonly Row[]) => rows.reduce((all, row) => all + Number(row.EffectiveCost), 0);
  const query = `level=focus&format=csv&from=${day}T00:00:00Z&to=${day}T23:59:00Z`;
  const { text } = await ask(`usage/export?${query}`);
  const downloaded = sum(parse(text, { columns: true }) as Row[]);
  return [sum(pushed.flatMap(([, { rows }]) => rows)), downloaded];
};
/** Moves the clock, and deletes the quarter hours that are too old then. */
const passTo = async (time: string) => {
  clock.set(at(time));
  await quarterHourRetention.purge(ctx, clock.now(), orgId);
};

test.each(ZONES)('a call that is voided in its 35th day is taken away for good (%s)', async (timezone) => {
  await begin('01-25T12:00', timezone);
  const [session] = await post(
    { id: 'wrong', ts: at('01-20T10:00'), cost_usd: 7 },
    { ts: at('01-20T11:00'), cost_usd: 1 },
  );
  const destination = await make();
  await run(destination);
  await passTo('02-07T03:00');
  await close();
  await run(destination);
  await passTo('02-24T09:30');
  await voidCall(session, 'wrong');
  await passTo('02-25T03:00');
  expect(await run(destination)).toMatchObject({ partitions_written: 1 });
  expect(await costsOf('2026-01-20')).toEqual([1, 1]);
  await passTo('03-07T03:00');
  await close();
  await run(destination);
  expect(await costsOf('2026-01-20')).toEqual([1, 1]);
  expect((await partitions())['2026-02 2026-01-20']?.state).toBe('final');
  expect(await run(destination)).toMatchObject({ partitions_written: 0 });
});

test.each(ZONES)('a correction is in its month when that closes, however late (%s)', async (timezone) => {
  await begin('01-25T12:00', timezone);
  await post({ ts: at('01-20T10:00'), cost_usd: 1 });
  await passTo('02-07T03:00');
  await close();
  await passTo('02-10T12:00');
  await post({ ts: at('01-20T23:30'), cost_usd: 5 });
  await passTo('03-19T12:00');
  await close();
  const destination = await make();
  await run(destination);
  expect(await costsOf('2026-01-20')).toEqual([6, 6]);
  expect((await partitions())['2026-02 2026-01-20']?.rows).toHaveLength(1);
});

test('the calls of a day sum to what its rollups had', async () => {
  await begin('01-25T12:00', 'Asia/Kolkata');
  const calls = ['ada', 'bob'].flatMap((user_id) => [
    { user_id, ts: at('01-20T00:00'), tokens_in: 1_000, tokens_out: 10 },
    { user_id, ts: at('01-20T18:45'), cost_usd: 0.1, project_id: 'shop', provider: 'aws.bedrock' },
    { user_id, ts: at('01-20T23:59'), model: 'unheard-of', error: { code: 'overloaded' } },
    { user_id, ts: at('01-19T23:59') },
    { user_id, ts: at('01-21T00:00') },
  ]);
  const sessions = await post({ id: 'wrong', ts: at('01-20T09:00') }, ...calls);
  await voidCall(sessions[0], 'wrong');
  const organization = await readOrganization(ctx, orgId);
  const before = await readDaily(ctx, organization, at('01-20T00:00'));
  expect(before?.rows).toHaveLength(6);
  await passTo('03-10T03:00');
  expect(await readDaily(ctx, organization, at('01-20T00:00'))).toEqual(before);
});

test('outside UTC a destination whose runs failed for weeks gets what changed meanwhile', async () => {
  await begin('01-25T12:00', 'Asia/Kolkata');
  const levels = ['focus', 'daily'].map((level) => ({ level, format: 'csv' }));
  const destination = await make({ since: '2026-01-15', levels });
  await post({ ts: at('01-20T10:00'), cost_usd: 1 });
  await run(destination);
  await post({ ts: at('01-20T11:00'), cost_usd: 5 }, { ts: at('01-18T11:00'), cost_usd: 2 });
  await passTo('03-10T03:00');
  await run(destination);
  expect(await costsOf('2026-01-18')).toEqual([2, 2]);
  expect(await costsOf('2026-01-20')).toEqual([6, 6]);
  const daily = Object.entries(await read()).filter(([path]) => /daily.*2026-01-20.*part-/.test(path));
  expect(daily.map(([, text]) => parse(text, { columns: true }) as Row[])).toMatchObject([
    [{ start: '2026-01-20T00:00:00.000Z', signals: '2', sessions: '2', cost_usd: '6.000000000' }],
  ]);
});

test('a month that another worker has closed meanwhile keeps no more days', async () => {
  await post({ ts: at('01-20T10:00') });
  const organization = await readOrganization(ctx, orgId);
  await close();
  await focusClosedRows(ctx).deleteMany({ org_id: orgId });
  await closeDay(ctx, { organization, day: '2026-01-20', closed: [] }, '2026-01');
  expect(await focusClosedRows(ctx).countDocuments({ org_id: orgId })).toBe(0);
});

test('the day is one between 1 and 28', () => {
  const change = organizationChangeOf(settings);
  const isTaken = (focus_close_day: number) => change.safeParse({ focus_close_day }).success;
  expect([0, 1, 1.5, 28, 29].map(isTaken)).toEqual([false, true, false, true, false]);
});
