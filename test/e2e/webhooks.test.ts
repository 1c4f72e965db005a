import { verifyWebhook } from 'usage-governor/verify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NAMED_EVENT_TYPES } from '../../shared/platform/basics/contract.ts';
import { type Child, startChild } from '../support/drills/child.ts';
import { type Stack, startStack } from '../support/drills/stack.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { call, until } from '../support/harness.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const SECRET = 'a-secret-of-more-than-thirty-two-characters';
const EVERYTHING = { events: [...NAMED_EVENT_TYPES], secret: SECRET };
let stack: Stack;
let second: Child;
let json: Receiver;
let slack: Receiver;

beforeAll(async () => {
  // 30 s are 3 s, and five minutes half a minute.
  stack = await startStack({ env: { TIME_SCALE: '10' }, fast: true });
  second = await startChild('workers/main.ts', stack.env);
  [json, slack] = await Promise.all([startReceiver(), startReceiver()]);
});
afterAll(async () => {
  await second.stop();
  await Promise.all([stack.stop(), json.close(), slack.close()]);
});

/** Posts bodies as a new organization, which has a monthly budget of 10 USD with this name. */
async function organizationWith(name: string) {
  const { key, orgId } = await makeTenant(stack.ctx);
  const post = async (path: string, body: unknown) => {
    const answer = await call(stack.url + path, { key, body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const rule = { name, scope: 'org', scope_id: orgId, metric: 'cost_usd', window: 'monthly', threshold: 10 };
  const makeBudget = () => post('/api/v1/budgets', rule);
  return { orgId, post, makeBudget };
}

/** The events of one type that arrived; each was signed. */
function arrived(orgId: string, type: string): { id: string; org_id: string; data: object }[] {
  return json.received.flatMap((request) => {
    expect(verifyWebhook(request.body, request.headers['x-service-signature'], SECRET)).toBe(true);
    const event = JSON.parse(request.body.toString());
    return event.type === type && event.org_id === orgId ? [event] : [];
  });
}

it('budget.warning, budget.exceeded and anomaly.detected arrive, signed, as the contract has them', async () => {
  const { orgId, post, makeBudget } = await organizationWith('Monthly cost');
  await post('/api/v1/webhooks', { ...EVERYTHING, url: json.url });
  const about = { budget_id: (await makeBudget()).id, budget_name: 'Monthly cost', threshold: 10 };
  const spend = (cost_usd: number, extra: object = {}) =>
    post('/api/v1/signals', makeSignal({ ts: Date.now(), cost_usd, ...extra }));
  const scope = { scope: 'org', scope_id: orgId };

  await spend(8.5);
  const warning = await until(() => arrived(orgId, 'budget.warning')[0]);
  expect(arrived(orgId, 'budget.exceeded')).toEqual([]);
  expect(warning.data).toEqual({ ...about, ...scope, current: 8.5, event_id: warning.id });
  await spend(4.5);
  const exceeded = await until(() => arrived(orgId, 'budget.exceeded')[0]);
  const counted = { current: 13, window: 'monthly', metric: 'cost_usd' };
  expect(exceeded.data).toEqual({ ...about, ...scope, ...counted });
  const [{ session_id }] = (await spend(0, { user_id: 'bob', tokens_in: 2_500_000 })).results;
  const anomaly = await until(() => arrived(orgId, 'anomaly.detected')[0]);
  expect(anomaly.data).toEqual({
    anomaly_type: 'token_spike',
    user_id: 'bob',
    baseline_avg: 2_000_000,
    observed: 2_500_010,
    deviation_pct: expect.closeTo(25.0005, 3),
    session_id,
  });
  expect(arrived(orgId, 'session.started')).toHaveLength(2);
  expect(arrived(orgId, 'budget.warning')).toHaveLength(1);
});

it('two workers send a channel one message per change of state, and a JSON webhook every event', async () => {
  const { orgId, post, makeBudget } = await organizationWith('Cost');
  const alerts = { alert_at: [50, 90], forecast: true };
  const told = ['budget.warning', 'budget.exceeded', 'anomaly.detected'];
  await post('/api/v1/webhooks', { ...alerts, events: told, format: 'slack', url: slack.url });
  await post('/api/v1/webhooks', { ...alerts, ...EVERYTHING, url: json.url });
  await makeBudget();
  const texts = () => slack.received.map(({ body }) => JSON.parse(body.toString()).text as string);
  const ts = Date.now();
  // A session of $50 is unusual by itself.
  const spent = ['ada', 'bob'].map((user_id) => makeSignal({ ts, user_id, cost_usd: 32.41115 }));
  await post('/api/v1/signals', { signals: spent });
  await until(() => arrived(orgId, 'budget.threshold').length === 2);
  await until(() => texts().length > 0);
  const spikes = Array.from({ length: 25 }, (_, at) =>
    makeSignal({ ts, user_id: `person-${at}`, tokens_in: 2_500_000, cost_usd: 0 }),
  );
  await post('/api/v1/signals', { signals: spikes });
  await until(() => arrived(orgId, 'anomaly.detected').length === 25);
  const sessions = () =>
    texts()
      .slice(1)
      .map((text) => Number(/in (\d+) sessions? of/.exec(text)?.[1] ?? 1));
  const counted = () => sessions().reduce((sum, count) => sum + count, 0);
  await until(() => counted() >= 25);
  expect(arrived(orgId, 'budget.exceeded')).toHaveLength(1);
  expect(arrived(orgId, 'budget.warning')).toHaveLength(1);
  expect(texts()[0]).toBe('Budget “Cost” is exceeded: $64.82 of $10.00 this month (648.2 %)');
  // A machine under load may find the last ones when the message is on its way: they are in the next one.
  expect(counted()).toBe(25);
  expect(sessions().length).toBeLessThanOrEqual(2);
});
