import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { type Child, startChild } from '../support/drills/child.ts';
import { type ProxiedMongo, startProxiedMongo } from '../support/drills/proxied-mongo.ts';
import type { NetProxy } from '../support/drills/proxy.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { call, type TestApi, type TestContext, until } from '../support/harness.ts';

/** More requests than a void or a release makes to MongoDB. */
const MOST_STEPS = 30;
const KEPT = 2;
const CORRECTED = 3;

let ctx: TestContext;
let proxy: NetProxy;
let mongo: ProxiedMongo;
let env: Record<string, string>;
let survivor: TestApi;
let next: Promise<Child>;
beforeAll(async () => {
  mongo = await startProxiedMongo();
  ({ ctx, survivor, proxy, env } = mongo);
  next = startChild('api/main.ts', env);
});
afterAll(async () => {
  await next?.then((child) => child.kill());
  await mongo?.stop();
});

interface Tenant {
  orgId: string;
  key: string;
}

const STEP =
  /organization_versions|organizations|budget|webhooks|signals|sessions|session_heads|rollups|held_signals|repricing|bulkWrite|commitTransaction|abortTransaction/;

/** Requests of a correction; the driver's own heartbeats and the look-up of the key are none. */
function isStep(chunk: Buffer): boolean {
  const text = chunk.toString('latin1');
  return STEP.test(text) && !text.includes('hello') && !text.includes('instances');
}

/** Asks a new api, and kills it at a step that never reaches MongoDB. Returns whether there was such a step. */
async function killAt(step: number, path: string, key: string, body: object): Promise<boolean> {
  proxy.onRequest = () => true;
  const api = await next;
  next = startChild('api/main.ts', env);
  await next;
  let steps = 0;
  proxy.onRequest = (chunk) => {
    if (!isStep(chunk)) return true;
    steps += 1;
    if (steps === step) api.process.kill('SIGKILL');
    return steps < step;
  };
  await call(`${api.url}${path}`, { key, body }).catch(() => undefined);
  proxy.onRequest = () => true;
  await api.kill();
  return steps >= step;
}

const post = async ({ key }: Tenant, signals: object[]) =>
  (await survivor.call('/api/v1/signals', { key, body: { signals } })).body.results;

async function makeBudgeted(): Promise<Tenant & { used: () => Promise<number> }> {
  const { orgId, key } = await makeTenant(ctx);
  const fields = {
    name: 'All',
    scope: 'org',
    metric: 'signals',
    threshold: 1_000,
    window: 'monthly',
  } as const;
  const { _id } = await createBudget(ctx, orgId, fields);
  const used = async () => (await survivor.call(`/api/v1/budgets/${_id}`, { key })).body.current;
  return { orgId, key, used };
}

/** Signals as usage, sessions, the budget and the audit log count them; rollups that are wrong. */
async function countOf({ orgId, key, used }: Awaited<ReturnType<typeof makeBudgeted>>, action: string) {
  const totals = (await survivor.call('/api/v1/usage', { key })).body.totals;
  const sessions = (await survivor.call('/api/v1/sessions', { key })).body.data;
  const organization = await readOrganization(ctx, orgId);
  const { wrong } = await reconcileUsage(ctx, organization, { repair: false });
  return {
    usage: totals.signals,
    sessions: sessions.reduce((sum: number, each: { signal_count: number }) => sum + each.signal_count, 0),
    budget: await used(),
    audits: await auditRows(ctx).countDocuments({ org_id: orgId, action }),
    wrong,
  };
}

const counted = (signals: number, audits: number) => ({
  usage: signals,
  sessions: signals,
  budget: signals,
  audits,
  wrong: 0,
});

it('an api that is killed at any step of a void has applied it or not, and the repeat leaves it applied once', async () => {
  const action = 'signals.void';
  const seen = new Set<number>();
  let step = 0;
  for (let isKilled = true; isKilled; ) {
    step += 1;
    expect(step).toBeLessThan(MOST_STEPS);
    const tenant = await makeBudgeted();
    const ids = Array.from({ length: KEPT + CORRECTED }, (_, index) => `s${index}`);
    const results = await post(
      tenant,
      ids.map((id) => makeSignal({ id, ts: ctx.clock.now() })),
    );
    const path = `/api/v1/sessions/${results[0].session_id}/void`;
    const body = { signal_ids: ids.slice(0, CORRECTED), reason: 'It was counted twice.' };
    isKilled = await killAt(step, path, tenant.key, body);
    const repeat = await survivor.call(path, { key: tenant.key, body });
    expect(repeat.status, repeat.text).toBe(200);
    const { voided, already } = repeat.body;
    expect([0, CORRECTED], `step ${step}`).toContain(voided.length);
    expect(new Set([...voided, ...already]), `step ${step}`).toEqual(new Set(body.signal_ids));
    expect(await countOf(tenant, action), `step ${step}`).toEqual(counted(KEPT, 1));
    seen.add(voided.length);
  }
  expect(step, 'steps were seen').toBeGreaterThan(4);
  expect(seen, 'a lost and an applied void were seen').toEqual(new Set([0, CORRECTED]));
});

it('an api that is killed at any step of a release has recorded all or nothing, and the repeat records it once', async () => {
  const action = 'signals.release';
  const seen = new Set<number>();
  let step = 0;
  for (let isKilled = true; isKilled; ) {
    step += 1;
    expect(step).toBeLessThan(MOST_STEPS);
    const tenant = await makeBudgeted();
    const signals = Array.from({ length: CORRECTED }, (_, index) =>
      makeSignal({ id: `s${index}`, ts: ctx.clock.now(), tokens_in: 900_000_000 }),
    );
    const ids: string[] = (await post(tenant, signals)).map(({ held_id }: { held_id: string }) => held_id);
    const path = '/api/v1/held-signals/release';
    isKilled = await killAt(step, path, tenant.key, { ids });
    const kept = await countOf(tenant, action);
    expect([counted(0, 0), counted(CORRECTED, 1)], `step ${step}`).toContainEqual(kept);
    seen.add(kept.usage);
    const repeat = await survivor.call(path, { key: tenant.key, body: { ids } });
    expect(repeat.status, repeat.text).toBe(200);
    expect(new Set(repeat.body.results.map(({ status }: { status: string }) => status))).toEqual(
      new Set(['released']),
    );
    expect(await countOf(tenant, action), `step ${step}`).toEqual(counted(CORRECTED, 1));
    const again = await post(tenant, signals);
    expect(new Set(again.map(({ status }: { status: string }) => status))).toEqual(new Set(['duplicate']));
  }
  expect(step, 'steps were seen').toBeGreaterThan(4);
  expect(seen, 'a lost and an applied release were seen').toEqual(new Set([0, CORRECTED]));
});

/** Kills a worker at a step that never reaches MongoDB, from its first look at new prices on. Returns whether there was such a step. */
async function killWorkerAt(
  step: number,
  { begin, isApplied }: { begin: () => Promise<unknown>; isApplied: () => Promise<boolean> },
): Promise<boolean> {
  proxy.onRequest = () => true;
  const worker = await startChild('workers/main.ts', env);
  let [steps, isApplying] = [0, false];
  proxy.onRequest = (chunk) => {
    isApplying ||= chunk.includes('repricing_parts');
    if (!isApplying || !isStep(chunk)) return true;
    steps += 1;
    if (steps === step) worker.process.kill('SIGKILL');
    return steps < step;
  };
  const gone = once(worker.process, 'exit');
  await begin();
  await Promise.race([gone, until(isApplied, { what: 'an applied repricing', timeoutMs: 30_000 })]);
  proxy.onRequest = () => true;
  await worker.kill();
  return steps >= step;
}

/** Each kill takes a worker and the rows that it leaves locked, so not every step has one. */
const STEPS_APART = 3;

it('a worker that is killed while it gives calls new prices has done a part or not, and the next one does the rest once', async () => {
  const rule = { name: 'Ours', from: '2026-01-01', match: { model: 'nobody-knows-it' } };
  const prices = { usd_per_million: { input: 100, output: 0 } };
  const seen = new Set<number>();
  let step = 1;
  for (let isKilled = true; isKilled; step += STEPS_APART) {
    expect(step).toBeLessThan(MOST_STEPS);
    const tenant = await makeBudgeted();
    const { key, orgId } = tenant;
    const signals = Array.from({ length: CORRECTED }, (_, index) =>
      makeSignal({ id: `s${index}`, ts: ctx.clock.now(), model: 'nobody-knows-it', tokens_in: 1_000_000 }),
    );
    await post(tenant, signals);
    const ask = async (path: string, body?: object) => {
      const answer = await survivor.call(`/api/v1/${path}`, { key, ...(body ? { body } : {}) });
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer.body;
    };
    await ask('price-rules', { ...rule, ...prices });
    const nowMs = ctx.clock.now();
    const range = { from: new Date(nowMs - 86_400_000).toISOString(), to: new Date(nowMs).toISOString() };
    const { id } = await ask('repricings', { ...range, to: new Date(nowMs + 60_000).toISOString() });
    const isApplied = async () => (await ask(`repricings/${id}`)).state === 'applied';
    isKilled = await killWorkerAt(step, { begin: () => ask(`repricings/${id}/apply`, {}), isApplied });
    const cost = async () => (await ask('usage')).totals.cost_usd;
    const left = await cost();
    expect([0, 100 * CORRECTED], `step ${step}`).toContain(left);
    seen.add(left);
    const second = await startChild('workers/main.ts', env);
    await until(isApplied, { what: 'an applied repricing', timeoutMs: 60_000 });
    await second.stop();
    expect(await ask(`repricings/${id}`)).toMatchObject({ applied: CORRECTED, skipped: 0 });
    expect(await cost(), `step ${step}`).toBe(100 * CORRECTED);
    expect(await countOf(tenant, 'repricing.apply'), `step ${step}`).toEqual(counted(CORRECTED, 1));
    const organization = await readOrganization(ctx, orgId);
    expect(await reconcileUsage(ctx, organization, { repair: false })).toMatchObject({ wrong: 0 });
  }
  expect(step, 'steps were seen').toBeGreaterThan(4);
  expect(seen, 'a lost and an applied part were seen').toEqual(new Set([0, 100 * CORRECTED]));
});
