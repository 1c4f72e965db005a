import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { createBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { type Child, startChild } from '../support/drills/child.ts';
import { type ProxiedMongo, startProxiedMongo } from '../support/drills/proxied-mongo.ts';
import type { NetProxy } from '../support/drills/proxy.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { call, type TestApi, type TestContext } from '../support/harness.ts';

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
  /organization_versions|organizations|budget|webhooks|signals|sessions|session_heads|rollups|held_signals|bulkWrite|commitTransaction|abortTransaction/;

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
