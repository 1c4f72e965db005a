import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { approveRaise } from '../../shared/wings/raises/answer.ts';
import { askForRaise } from '../../shared/wings/raises/ask.ts';
import { raiseRows } from '../../shared/wings/raises/model.ts';
import { type Child, startChild } from '../support/drills/child.ts';
import { type ProxiedMongo, startProxiedMongo } from '../support/drills/proxied-mongo.ts';
import type { NetProxy } from '../support/drills/proxy.ts';
import { type Stack, startStack } from '../support/drills/stack.ts';
import { makeTenant } from '../support/factories.ts';
import { call, callSurely, type TestApi, type TestContext, until } from '../support/harness.ts';
import { startIssuer, type TestIssuer } from '../support/idp.ts';
import { makePerson, type Person } from '../support/people.ts';
import { seeded } from '../support/random.ts';

const ROUNDS = Number(process.env.DRILL_ROUNDS ?? 3);
const SEED = Number(process.env.DRILL_SEED ?? Date.now() % 1_000_000);
/** More requests than an approval makes to MongoDB. */
const MOST_STEPS = 30;
const THRESHOLD = 10;
const RAISE = 5;
const BUDGET = { metric: 'cost_usd', threshold: THRESHOLD, window: 'monthly', enforce: 'hard' };

/** The names of what was done to raises, sorted. */
async function auditedIn(ctx: Context, orgId: string): Promise<string[]> {
  const named = { org_id: orgId, action: { $regex: '^raise\\.' } };
  return (await auditRows(ctx).find(named).toArray()).map(({ action }) => action).toSorted();
}

describe('an api that is killed in an approval', () => {
  let ctx: TestContext;
  let idp: TestIssuer;
  let proxy: NetProxy;
  let mongo: ProxiedMongo;
  let env: Record<string, string>;
  let survivor: TestApi;
  let next: Promise<Child>;
  beforeAll(async () => {
    idp = await startIssuer();
    mongo = await startProxiedMongo({ env: idp.env });
    ({ ctx, survivor, proxy, env } = mongo);
    next = startChild('api/main.ts', env);
  });
  afterAll(async () => {
    await next?.then((child) => child.kill());
    await mongo?.stop();
    await idp?.stop();
  });

  /** Approves at a new api that is killed at a step, which reaches MongoDB or not. Returns whether there was such a step. */
  async function killAt(step: number, isSent: boolean, path: string, key: string): Promise<boolean> {
    proxy.onRequest = () => true;
    const api = await next;
    next = startChild('api/main.ts', env);
    await next;
    let steps = 0;
    proxy.onRequest = (chunk) => {
      const text = chunk.toString('latin1');
      if (!/raises|budgets|members|commitTransaction/.test(text) || text.includes('hello')) return true;
      steps += 1;
      if (steps === step) api.process.kill('SIGKILL');
      return steps < step || (isSent && steps === step);
    };
    await call(`${api.url}${path}`, { key, body: {} }).catch(() => undefined);
    proxy.onRequest = () => true;
    await api.kill();
    return steps >= step;
  }

  /** A pending raise of a person, and an admin who may answer. */
  async function makeRaise() {
    const { orgId, key } = await makeTenant(ctx);
    const admins: Person[] = [];
    for (let made = 0; made < 2; made += 1) admins.push(await makePerson(ctx, idp, { orgId, role: 'admin' }));
    const [admin, second] = admins as [Person, Person];
    const ada = await makePerson(ctx, idp, { orgId });
    const budget = { name: 'All', scope: 'org', ...BUDGET };
    const { body: made } = await survivor.call('/api/v1/budgets', { key, body: budget });
    const bound = await createApiKey(ctx, { org_id: orgId, scopes: ['budgets:check'], user_id: ada.userId });
    const body = { budget_id: made.id, amount: RAISE };
    const { body: raise } = await survivor.call('/api/v1/raises', { key: bound.key, body });
    const limit = async () => (await survivor.call(`/api/v1/budgets/${made.id}`, { key })).body.threshold_now;
    return { orgId, id: raise.id as string, admin, second, limit };
  }

  it.each([
    ['before', false],
    ['after', true],
  ])(
    '%s any step reaches the store has approved it or not, and there is one answer',

    async (_when, isSent) => {
      const seen = new Set<string>();
      let step = 0;
      for (let isKilled = true; isKilled; ) {
        step += 1;
        expect(step).toBeLessThan(MOST_STEPS);
        const { orgId, id, admin, second, limit } = await makeRaise();
        const path = `/v1/raises/${id}/approve`;
        isKilled = await killAt(step, isSent, path, admin.session);
        // The transaction of the dead api was committed, or the guard ends it.
        const other = await survivor.call(`/v1/raises/${id}/deny`, { key: second.session, body: {} });
        const isApproved = other.status === 409;
        expect([200, 409], `step ${step}: ${other.text}`).toContain(other.status);
        if (isApproved) expect(other.body.raise_status).toBe('approved');
        seen.add(isApproved ? 'approved' : 'denied');
        expect(await limit(), `step ${step}`).toBe(isApproved ? THRESHOLD + RAISE : THRESHOLD);
        const repeat = await survivor.call(path, { key: admin.session, body: {} });
        expect(repeat.status, `step ${step}`).toBe(isApproved ? 200 : 409);
        const act = isApproved ? 'raise.approve' : 'raise.deny';
        expect(await auditedIn(ctx, orgId), `step ${step}`).toEqual([act, 'raise.ask'].toSorted());
      }
      expect(step, 'steps were seen').toBeGreaterThan(4);
      expect(seen, 'a lost and a committed approval were seen').toEqual(new Set(['denied', 'approved']));
    },
  );
});

describe('a worker that is killed while raises end', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });
  beforeEach(() => stack.mend());
  afterAll(() => stack?.stop());

  it(`prolongs none: the clock ends each, and each is written once (${ROUNDS} kills, seed ${SEED})`, async () => {
    const random = seeded(SEED);
    const { ctx } = stack;
    const { orgId, key } = await makeTenant(ctx);
    const budgetIds: string[] = [];
    const people = Array.from({ length: 3 * ROUNDS }, (_, index) => ({ orgId, userId: `person-${index}` }));
    for (const { userId } of people) {
      const budget = { name: userId, scope: 'user', scope_id: userId, ...BUDGET };
      budgetIds.push((await call(`${stack.url}/api/v1/budgets`, { key, body: budget })).body.id);
    }
    const endsOf = new Map<string, number>();
    const lastMs = ctx.clock.now() + ROUNDS * 4_000;
    // A raise lasts a minute at least, and is in force from its answer on: each was approved before this begins.
    const duration_s = 60 + ROUNDS * 4;
    for (const [index, person] of people.entries()) {
      const budget_id = budgetIds[index] ?? '';
      const endsMs = Math.round(lastMs - random() * ROUNDS * 3_000);
      const past = { ...ctx, clock: { ...ctx.clock, now: () => endsMs - duration_s * 1_000 } };
      const { _id } = await askForRaise(past, person, { budget_id, amount: RAISE, duration_s });
      await approveRaise(past, { orgId, userId: 'grace', accountId: 'usr_grace' }, _id, {});
      endsOf.set(budget_id, endsMs);
    }
    let isOver = false;
    let looks = 0;
    const look = async () => {
      while (!isOver)
        for (const [id, endsMs] of endsOf) {
          const askedMs = Date.now();
          const { body } = await callSurely(() => call(`${stack.url}/api/v1/budgets/${id}`, { key }));
          if (Date.now() < endsMs) expect(body.threshold_now).toBe(THRESHOLD + RAISE);
          if (askedMs >= endsMs) expect(body.threshold_now).toBe(THRESHOLD);
          looks += 1;
        }
    };
    const looking = look();
    onTestFinished(() => {
      isOver = true;
    });
    // It fails with the test when it is waited for.
    looking.catch(() => undefined);
    for (let killed = 0; killed < ROUNDS; killed += 1) {
      await new Promise((resolve) => setTimeout(resolve, random() * 2_000));
      await stack.kill('worker');
      await stack.start('worker');
      await until(() => stack.isReady('worker'), { what: 'the worker back' });
    }
    const named = { org_id: orgId, state: 'ended' as const };
    await until(async () => (await raiseRows(ctx).countDocuments(named)) === endsOf.size, {
      what: 'the end of every raise',
    });
    isOver = true;
    await looking;
    const acts = await auditedIn(ctx, orgId);
    expect(acts.filter((act) => act === 'raise.end')).toHaveLength(endsOf.size);
    expect(acts).toHaveLength(3 * endsOf.size);
    console.log(`${endsOf.size} raises ended, ${looks} looks at their thresholds`);
  });
});
