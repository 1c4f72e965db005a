import { createHash } from 'node:crypto';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { eventRows } from '../../shared/core/events/record/model.ts';
import { queuedDeliveryRows } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { webhookRows } from '../../shared/core/events/webhooks/endpoints/model.ts';
import { unsubscribeUrl } from '../../shared/core/events/webhooks/endpoints/unsubscribe.ts';
import { derivedId } from '../../shared/platform/basics/ids.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { expectationKey } from '../../shared/wings/anomalies/expected.ts';
import { anomalyRows, expectationRows } from '../../shared/wings/anomalies/model.ts';
import { workRows } from '../../shared/wings/work/attribution/model.ts';
import { branchKey } from '../../shared/wings/work/attribution/names.ts';
import * as jobs from '../../workers/index.ts';
import { projectAll, writePlans } from './credits.ts';
import { newFolder } from './destinations.ts';
import { BOUND_SCOPES, makeSignal } from './factories.ts';
import { BUDGET, fixture, type Tenant } from './fixture.ts';
import type { Answer, CallOptions, TestApi, TestContext } from './harness.ts';
import { linkDevice, makePerson, type Person } from './people.ts';
import { eventOf, paidSessionAt, stripeSignature } from './stripe.ts';
import { SECRET } from './webhooks.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
export const SHOP = 'github.com/acme/shop';

/** A fixture in which organizations may have something of every noun. Its clock begins now, or at a time. */
export function wholeFixture(clock: string | true = true, more: Record<string, string> = {}) {
  const each = { window_credits: 1, window_s: 18_000, monthly_credits: 1, credit_price_usd: 0.0125 };
  const env = {
    EXPORT_FOLDER: newFolder(),
    PLANS_FILE: writePlans({ free: each, team: each, enterprise: each }),
    ...more,
  };
  return fixture({ clock, idp: true, smtp: true, stripe: true, redis: true, receiver: true, env });
}
export type Host = Awaited<ReturnType<typeof wholeFixture>> & {
  /** Called before each request and each job, where they are not to be at the same time. */
  tick?: () => void;
};

/** The holder of the credential that a request carries. */
export type As = 'key' | 'bound' | 'admin' | 'ada' | 'device' | 'operator' | 'nobody';

interface Device {
  device_id: string;
  access_token: string;
}

/** An organization with something of every noun in it, under the same names in each. */
export interface WholeTenant extends Omit<Tenant, 'budget' | 'webhook'> {
  people: Record<'grace' | 'ada' | 'bob' | 'eve' | 'carl' | 'dan', Person>;
  bound: string;
  device: Device;
  devices: Record<(typeof LEAVING)[number], Device>;
  budgets: string[];
  template: string;
  webhook: string;
  spareWebhook: string;
  /** A webhook with a digest, of which some deliveries wait for it. */
  digested: string;
  deliveries: string[];
  raises: string[];
  ownRaises: string[];
  held: string[];
  sessions: string[];
  anomaly: string;
  signals: string[];
  pullRequest: string;
  codeHost: { id: string; secret: string };
  spareHost: string;
  destination: string;
  run: string;
  /** A session with an intervention. */
  gated: string;
  spareDestinations: string[];
  /** A rule that prices no call, and one that nothing else needs. */
  priceRules: string[];
  /** A preview of new prices, and one that nothing else needs. */
  repricings: string[];
  /** The time whose calls these are about. */
  pricedAnew: { from: string; to: string };
  /** Ids of keys that nothing else needs. */
  spareKeys: string[];
  reservation: string;
  receipt: string;
  /** The token of a credential; undefined without one. */
  credentialOf: (as: As) => Promise<string | undefined>;
  /** Sends a request with one of its credentials, to an api. */
  callAt: (at: Pick<TestApi, 'call'>, ...request: Request) => Promise<Answer>;
  /** The same, to the api of the host. */
  call: (...request: Request) => Promise<Answer>;
  /** The same, and the body of the answer, which must be a success. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  must: (...request: Request) => Promise<any>;
}

type Request = [as: As, method: string, path: string, body?: unknown, headers?: Record<string, string>];

const iso = (ms: number) => new Date(ms).toISOString();

/** Three months of windows, which the purge of windows looks at. */
const MONTHS_AGO = [64, 33, 1];
const SCOPES = [
  { scope: 'user', scope_id: 'ada' },
  { scope: 'team', scope_id: 'red' },
  { scope: 'project', scope_id: 'shop' },
] as const;
const WINDOWS = ['daily', 'monthly', 'quarterly'] as const;
/** Budgets of which raises are asked, after those of the scopes and windows. */
const RAISED = 7;

/** Makes an organization with something of every noun. The clock is where it was in the end. */
export async function makeWhole(host: Host): Promise<WholeTenant> {
  const { ctx, clock, api, idp } = host;
  const nowMs = clock.now();
  clock.set(nowMs - 65 * DAY);
  const tenant = await host.tenant({ plan: 'team', timezone: 'UTC' });
  const person = (userId: string, role: 'admin' | 'member' = 'member') =>
    makePerson(ctx, idp, { orgId: tenant.orgId, userId, role });
  const people = {
    grace: await person('grace', 'admin'),
    ada: await person('ada'),
    bob: await person('bob'),
    eve: await person('eve'),
    carl: await person('carl'),
    dan: await person('dan'),
  };
  const call: WholeTenant['call'] = (...request) => callAt(api, ...request);
  const callAt: WholeTenant['callAt'] = async (at, as, method, path, body, headers = {}) => {
    const key = await credential(as);
    const options: CallOptions = { method, headers, ...(body === undefined ? {} : { body }) };
    return at.call(path, key === undefined ? options : { ...options, key });
  };
  const must: WholeTenant['must'] = async (...request) => {
    const answer = await call(...request);
    if (answer.status >= 300)
      throw new Error(`${request.slice(0, 3).join(' ')}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  async function credential(as: As): Promise<string | undefined> {
    const mint = (sub: string) => idp.mint(sub, { nowMs: clock.now() });
    if (as === 'admin') return mint(people.grace.sub);
    if (as === 'ada') return mint(people.ada.sub);
    if (as === 'operator') return ctx.config.operatorToken;
    if (as === 'device') return whole.device.access_token;
    return { key: tenant.key, bound: whole.bound, nobody: undefined }[as];
  }
  const whole = {
    ...tenant,
    people,
    call,
    callAt,
    must,
    credentialOf: credential,
    devices: {},
  } as unknown as WholeTenant;
  await must('admin', 'PATCH', '/v1/members/ada', { teams: ['red'] });
  await fillBudgets(whole);
  for (const days of MONTHS_AGO) {
    clock.set(nowMs - days * DAY);
    const signal = { ts: clock.now(), user_id: 'ada', project_id: 'shop', cost_usd: 3 };
    await must('key', 'POST', '/api/v1/signals', {
      signals: [makeSignal({ ...signal, id: `month-${days}` })],
    });
  }
  clock.set(nowMs);
  await fillDeliveries(whole, host);
  await fillWork(whole, host);
  await runDue(host, whole.orgId);
  await runScheduled(host);
  // Jobs that are due from here on stay so.
  await fillPeople(whole, host);
  await fillCredits(whole, host);
  await fillDue(whole, host);
  await fillAnomalies(whole, host);
  // The api writes what it has counted.
  await must('key', 'GET', '/api/v1/refusals');
  return whole;
}

async function fillAnomalies(whole: WholeTenant, { ctx }: Host): Promise<void> {
  const { orgId: org_id, sessions } = whole;
  const now = new Date(ctx.clock.now());
  const session_id = sessions[0] ?? '';
  whole.anomaly = derivedId('anm', 'cost_spike', session_id);
  const figures = { anomaly_type: 'cost_spike', baseline_avg: 1, observed: 9, deviation_pct: 800 } as const;
  const times = { reports: 1, detected_at: now, updated_at: now };
  const of = { anomaly_type: 'error_spike', of: 'person', user_id: 'eve', by: 'grace' } as const;
  const until = new Date(now.getTime() + 400 * DAY);
  const _id = expectationKey({ ...of, org_id, session_id }, of.of);
  await expectationRows(ctx).insertOne({ _id, org_id, ...of, until });
  await anomalyRows(ctx).insertOne({
    _id: whole.anomaly,
    org_id,
    user_id: 'ada',
    session_id,
    ...figures,
    ...times,
  });
}

async function fillBudgets(whole: WholeTenant): Promise<void> {
  const { must } = whole;
  whole.budgets = [];
  const make = async (
    fields: { name?: string; scope_id?: string; window: string } & Record<string, unknown>,
  ) => {
    // An id is new without such a key, and derived from it with one.
    const headers = fields.name ? {} : { 'Idempotency-Key': `${fields.scope_id} ${fields.window}` };
    return (await must('key', 'POST', '/api/v1/budgets', { ...BUDGET, ...fields }, headers)).id as string;
  };
  for (const scope of SCOPES)
    for (const window of WINDOWS)
      whole.budgets.push(await make({ ...scope, window, metric: 'signals', threshold: 1, enforce: 'soft' }));
  for (let count = 0; count < RAISED; count += 1)
    whole.budgets.push(
      await make({ name: `R${count}`, window: 'monthly', threshold: 100_000, enforce: 'hard' }),
    );
  whole.template = await make({
    name: 'Each',
    per: 'user',
    window: 'monthly',
    threshold: 50_000,
    enforce: 'hard',
  });
  for (const user of ['ada', 'bob'])
    await must('key', 'PUT', `/api/v1/budgets/${whole.template}/people/${user}`, { threshold: 40_000 });
  for (const user_id of Object.keys(whole.people))
    await make({ name: `Of ${user_id}`, window: 'monthly', threshold: 900_000, owner: { user_id } });
}

async function fillWork(whole: WholeTenant, { clock }: Host): Promise<void> {
  const { must } = whole;
  // Without it a destination begins with its month, of which the first day has no day before.
  const since = iso(clock.now() - 10 * DAY).slice(0, 10);
  const place = { name: 'Finance', kind: 'folder', since, levels: [{ level: 'daily', format: 'csv' }] };
  const add = async (prefix: string) =>
    (await must('key', 'POST', '/api/v1/destinations', { ...place, prefix })).id as string;
  whole.destination = await add(whole.orgId);
  whole.spareDestinations = [await add('spare'), await add('more')];
  const rule = { name: 'Contract', from: '2026-01-01', match: { model: 'none' }, discount_percent: 10 };
  whole.priceRules = [
    (await must('key', 'POST', '/api/v1/price-rules', rule)).id,
    (await must('key', 'POST', '/api/v1/price-rules', rule)).id,
  ];
  whole.pricedAnew = { from: iso(clock.now() - 30 * DAY), to: iso(clock.now()) };
  whole.repricings = [
    (await must('key', 'POST', '/api/v1/repricings', whole.pricedAnew)).id,
    (await must('key', 'POST', '/api/v1/repricings', whole.pricedAnew)).id,
  ];
  whole.run = (await must('key', 'POST', `/api/v1/destinations/${whole.destination}/runs`, {})).id;
  whole.bound = await whole.keyOf('ada', [...BOUND_SCOPES], { name: 'laptop of ada' });
  const now = clock.now();
  await must('key', 'POST', '/api/v1/pull-requests', {
    repository: SHOP,
    number: 12,
    branch: 'cart',
    state: 'open',
    opened_at: iso(now - DAY),
  });
  const working = { metadata: { client_session_id: 's-1' }, user_id: 'ada', project_id: 'shop' };
  const signals = [
    makeSignal({ id: 'one', ts: now - 6 * 60 * MINUTE, ...working }),
    makeSignal({ id: 'two', ts: now - 6 * 60 * MINUTE + 1, ...working }),
    makeSignal({
      id: 'wrong',
      ts: now - 6 * 60 * MINUTE + 2,
      ...working,
      error: { code: 'x', message: 'words' },
    }),
    ...[4, 3, 2].map((minutes) =>
      makeSignal({ id: `m-${minutes}`, ts: now - minutes * MINUTE, user_id: 'ada', cost_usd: 900 }),
    ),
    makeSignal({ id: 'gated', ts: now - 1, user_id: 'bob' }),
    makeSignal({ id: 'gate', ts: now, user_id: 'bob', type: 'intervention', intervention: INTERVENTION }),
    ...['eve', 'carl', 'dan', 'grace'].map((user_id) =>
      makeSignal({ id: `of-${user_id}`, ts: now - MINUTE, user_id, metadata: { branch: 'words' } }),
    ),
    ...['huge', 'huge-2', 'huge-3'].map((id) =>
      makeSignal({ id, ts: now - 1_000, user_id: id === 'huge-3' ? 'eve' : 'ada', tokens_in: 900_000_000 }),
    ),
  ];
  const { results } = await must('key', 'POST', '/api/v1/signals', { signals });
  const rejected = results.filter(({ status }: { status: string }) => status === 'rejected');
  if (rejected.length > 0) throw new Error(JSON.stringify(rejected));
  whole.held = results.flatMap(({ held_id }: { held_id?: string }) => held_id ?? []);
  whole.sessions = results.flatMap(({ session_id }: { session_id?: string }) => session_id ?? []);
  whole.signals = signals.map(({ id }) => String(id));
  const { data: listed } = await must('key', 'GET', '/api/v1/sessions?user_id=bob');
  whole.gated = listed[0].id;
  const context = { client_session_id: 's-1', repository: SHOP };
  const contexts = [
    { ...context, ts: iso(now - 8 * 60 * MINUTE), branch: 'old' },
    { ...context, ts: iso(now - 7 * 60 * MINUTE), branch: 'cart', renamed_from: 'old' },
  ];
  await must('bound', 'POST', '/api/v1/contexts', { contexts });
  const { data } = await must('key', 'GET', '/api/v1/pull-requests');
  whole.pullRequest = data[0].id;
  await must('key', 'POST', '/api/v1/budgets/check', { user_id: 'ada' });
  for (const user_id of ['ada', 'bob', 'eve'])
    await must('key', 'POST', '/api/v1/budgets/check', { user_id, estimate_usd: 200_000 });
  const held = await must('bound', 'POST', '/api/v1/budgets/reserve', { estimate_usd: 1, ttl_s: 3_600 });
  whole.reservation = held.reservation_id;
  await must(
    'bound',
    'POST',
    '/api/v1/budgets/reserve',
    { estimate_usd: 1, ttl_s: 3_600 },
    { 'Idempotency-Key': 'r' },
  );
  await must('key', 'POST', '/api/v1/budgets/reserve', { estimate_usd: 1, ttl_s: 3_600, user_id: 'eve' });
}

/** Does what workers do for whatever is due of an organization. */
export async function runDue(
  { ctx, clock, tick = () => undefined }: Pick<Host, 'ctx' | 'clock' | 'tick'>,
  orgId: string,
): Promise<void> {
  const rows = new Map(Object.values(jobs).map((row) => [row.kind, row]));
  const before = new Date(clock.now());
  const due = await dueRows(ctx)
    .find({ org_id: orgId, due_at: { $lte: before } })
    .sort({ _id: 1 })
    .toArray();
  for (const { kind, key } of due) {
    tick();
    await rows.get(kind)?.handle({ key }, ctx);
  }
  const webhooks = await webhookRows(ctx).find({ org_id: orgId }).toArray();
  for (const { _id: webhook_id } of webhooks) await attemptAllOf(ctx, webhook_id);
}

/** Does what is left of the deliveries of a webhook once, as a worker that is woken for each. */
export async function attemptAllOf(ctx: TestContext, webhook_id: string): Promise<void> {
  const queued = await queuedDeliveryRows(ctx).find({ webhook_id, state: 'pending' }).toArray();
  for (const { _id, attempt, wake, at } of queued)
    if (at <= ctx.clock.now())
      await (attempt === 1 ? jobs.deliverWebhook : jobs.retryWebhook).handle(
        { webhook_id, delivery_ids: [_id], wake, published: false },
        ctx,
      );
}

/** Runs every job that repeats by itself. */
export async function runScheduled({ ctx }: Host): Promise<void> {
  for (const row of Object.values(jobs)) if (row.everyMs !== undefined) await row.handle({}, ctx);
}

const INTERVENTION = { kind: 'gate', verdict: 'deny', action: 'block', source: 'config', reason: 'why' };

/** People who are removed or erased: they leave something in every place that takes words of theirs. */
const LEAVING = ['eve', 'carl', 'dan'] as const;

async function fillPerson(whole: WholeTenant, host: Host, who: (typeof LEAVING)[number]): Promise<void> {
  const { must, template } = whole;
  const nowMs = host.clock.now();
  const token = await session(host, whole.people[who]);
  whole.devices[who] = await linkDevice(
    host.api,
    { ...whole.people[who], session: token },
    { name: 'laptop' },
  );
  const by = async (key: string, method: string, path: string, body: unknown) =>
    must('nobody', method, path, body, { Authorization: `Bearer ${key}` });
  await by(token, 'PATCH', '/v1/preferences', { digest: 'daily' });
  const key = await whole.keyOf(who, [...BOUND_SCOPES], { name: `laptop of ${who}` });
  const of = { user_id: who, metadata: { client_session_id: `s-${who}`, branch: 'words' } };
  const signals = [
    makeSignal({ id: `words-${who}`, ts: nowMs - MINUTE, ...of }),
    makeSignal({ id: `huge-${who}`, ts: nowMs - MINUTE, tokens_in: 900_000_000, ...of }),
  ];
  await by(key, 'POST', '/api/v1/signals', { signals });
  const context = {
    client_session_id: `s-${who}`,
    ts: iso(nowMs - MINUTE),
    repository: SHOP,
    branch: 'words',
  };
  await by(key, 'POST', '/api/v1/contexts', { contexts: [context] });
  await by(key, 'POST', '/api/v1/raises', { budget_id: template, amount: 5, note: 'words' });
  const refused = { estimate_usd: 200_000, client_session_id: `s-${who}` };
  await by(key, 'POST', '/api/v1/budgets/check', refused);
  await must('key', 'PUT', `/api/v1/budgets/${template}/people/${who}`, { threshold: 30_000 });
}

async function fillPeople(whole: WholeTenant, host: Host): Promise<void> {
  const { must, people } = whole;
  whole.device = await linkDevice(
    host.api,
    { ...people.ada, session: await session(host, people.ada) },
    { name: 'laptop' },
  );
  for (const who of LEAVING) await fillPerson(whole, host, who);
  const ask = async (as: As, path: string, at: number) =>
    (await must(as, 'POST', path, { budget_id: whole.budgets.at(-at), amount: 5, note: 'words' }))
      .id as string;
  whole.raises = [await ask('bound', '/api/v1/raises', 1)];
  whole.ownRaises = [];
  for (const at of [2, 3, 4, 5, 6]) whole.ownRaises.push(await ask('ada', '/v1/raises', at));
  await must('admin', 'POST', `/v1/raises/${whole.ownRaises[3]}/approve`, {});
  await must('ada', 'PATCH', '/v1/preferences', { digest: 'daily', dismissed: [{ id: 'x', until: null }] });
  await must(
    'admin',
    'POST',
    '/v1/invitations',
    { emails: ['new@example.org'], role: 'member', mail: true },
    { 'Idempotency-Key': 'i' },
  );
  await must('admin', 'POST', '/v1/members', { email: 'mia@example.org', user_id: 'mia', role: 'member' });
  const added = await must('admin', 'POST', '/v1/code-hosts', { provider: 'github' });
  whole.codeHost = { id: added.id, secret: added.secret };
  whole.spareHost = (await must('admin', 'POST', '/v1/code-hosts', { provider: 'gitlab' })).id;
  for (const name of ['laptop', 'laptop'])
    await must('admin', 'POST', '/v1/keys', { name, scopes: ['usage:read'] });
  const { data } = await must('admin', 'GET', '/v1/keys');
  whole.spareKeys = data.flatMap(({ id, name }: Record<string, string>) => (name === 'laptop' ? id : []));
  await must('nobody', 'POST', '/v1/device_authorization', {});
}

export const session = ({ idp, clock }: Host, { sub }: Person) => idp.mint(sub, { nowMs: clock.now() });

async function fillDeliveries(whole: WholeTenant, host: Host): Promise<void> {
  const { must } = whole;
  const hook = (fields: object) =>
    must('key', 'POST', '/api/v1/webhooks', {
      url: host.receiver.url,
      events: EVENTS,
      secret: SECRET,
      ...fields,
    });
  whole.webhook = (await hook({})).id;
  whole.digested = (await hook({ digest: 'daily', alert_at: [50], forecast: true })).id;
  await hook({ url: 'mailto:ada@example.org' }).catch(() => undefined);
  whole.spareWebhook = (await hook({})).id;
  await must('key', 'PATCH', `/api/v1/webhooks/${whole.spareWebhook}`, { enabled: false });
  await must('key', 'POST', '/api/v1/signals', {
    signals: [makeSignal({ id: 'told', ts: host.clock.now(), user_id: 'told', cost_usd: 1 })],
  });
  const { data } = await must('key', 'GET', `/api/v1/webhooks/${whole.webhook}/deliveries`);
  whole.deliveries = data.map(({ id }: { id: string }) => id);
}

const EVENTS = ['session.started', 'session.ended', 'budget.warning', 'budget.exceeded', 'anomaly.detected'];

async function fillCredits(whole: WholeTenant, host: Host): Promise<void> {
  const { must, orgId } = whole;
  const grant = { org_id: orgId, user_id: 'ada', bucket: 'granted', amount: 5 };
  await must('operator', 'POST', '/admin/credits', grant, { 'Idempotency-Key': `grant ${orgId}` });
  const output_sha256 = createHash('sha256').update('x').digest('hex');
  await must('device', 'POST', '/v1/meter/consume', { output_sha256 }, { 'Idempotency-Key': 'spend' });
  await projectAll(host.ctx);
  const { transactions } = await must('ada', 'GET', '/v1/ledger?reason=receipt&include=details');
  whole.receipt = transactions[0].id;
  for (const key of ['first', 'second']) {
    const headers = { 'Idempotency-Key': key, Authorization: `Bearer ${whole.devices.eve.access_token}` };
    await must('nobody', 'POST', '/v1/meter/consume', { output_sha256 }, headers);
  }
  const { url } = await must('ada', 'POST', '/v1/credits/checkout', { credits: 1_000 });
  await sendPaid(host, url);
  await projectAll(host.ctx);
}

/** Stripe tells that the page at this URL was paid. */
export async function sendPaid({ api, stripe, clock }: Host, url: string): Promise<Answer> {
  const body = JSON.stringify(eventOf(paidSessionAt(stripe, url)));
  const headers = { 'Stripe-Signature': stripeSignature(body, { atMs: clock.now() }) };
  return api.call('/integrations/stripe/webhook', { body, headers });
}

/** Work that asks for a job, and stays so: an open session, a report, moves, deliveries in steps. */
async function fillDue(whole: WholeTenant, { ctx, clock, idp }: Host): Promise<void> {
  const { must, orgId, people } = whole;
  const now = clock.now();
  const { reservation_id } = await must('bound', 'POST', '/api/v1/budgets/reserve', {
    estimate_usd: 1,
    ttl_s: 3_600,
  });
  const signals = [
    makeSignal({ id: 'last', ts: now, user_id: 'ada', project_id: 'shop', cost_usd: 1, reservation_id }),
    makeSignal({ id: 'huge-4', ts: now, user_id: 'ada', tokens_in: 900_000_000 }),
  ];
  await must('key', 'POST', '/api/v1/signals', { signals });
  const gone = await makePerson(ctx, idp, { orgId, userId: 'fay' });
  for (const { accountId } of [people.dan, gone])
    await must('nobody', 'POST', new URL(unsubscribeUrl(ctx.config, accountId)).pathname);
  await must('admin', 'DELETE', '/v1/members/fay');
  // The removal of a member writes this one itself.
  const asked = Object.keys(MOVES).filter((kind) => kind !== jobs.revokeDevices.kind);
  for (const kind of asked) await askFor(whole, ctx, kind);
}

/** Where a job has no row that asks for it, the key and the details of one, in every organization alike. */
const MOVES: Record<string, (whole: WholeTenant, ctx: TestContext) => Promise<readonly [string, object]>> = {
  [jobs.moveSessionCalls.kind]: async ({ orgId }, ctx) => {
    const call = await signalRows(ctx).findOne({ org_id: orgId, id: 'one' });
    const [from, until] = [new Date(ctx.clock.now() - DAY), new Date(ctx.clock.now())];
    return [call?.client_session ?? '', { from, after: '', until }];
  },
  [jobs.moveBranchCalls.kind]: async ({ orgId }, ctx) => {
    const work = await workRows(ctx).findOne({ org_id: orgId, 'branch.text': 'cart' });
    const branch_hash = work?.branch?.hash ?? '';
    const from = new Date(ctx.clock.now() - DAY);
    return [branchKey(ctx, orgId, SHOP, branch_hash), { repository: SHOP, branch_hash, from }];
  },
  [jobs.planDeliveries.kind]: async ({ orgId, webhook }, ctx) => {
    const [event] = await eventRows(ctx).find({ org_id: orgId, type: 'budget.exceeded' }).toArray();
    const subscribers = [{ _id: webhook, events: [...EVENTS] }];
    return [event?._id ?? '', { events: [event?._id], subscribers, planned: 0 }];
  },
  [jobs.mailOwner.kind]: async ({ orgId, people }, ctx) => {
    const [event] = await eventRows(ctx).find({ org_id: orgId, type: 'budget.exceeded' }).toArray();
    const details = { scheduled_at: new Date(ctx.clock.now()), attempt: 1 };
    return [`${event?._id}.${people.grace.accountId}`, details];
  },
  [jobs.recoverDeliveries.kind]: async ({ webhook }, ctx) => [
    webhook,
    { since: new Date(ctx.clock.now() - DAY) },
  ],
  [jobs.checkSession.kind]: async ({ sessions }) => [sessions.at(-1) ?? '', {}],
  [jobs.hashNames.kind]: async ({ orgId }) => [orgId, {}],
  [jobs.drainWebhook.kind]: async ({ webhook }) => [webhook, {}],
  [jobs.alertAdmins.kind]: async ({ webhook }) => [webhook, {}],
  [jobs.alertDestination.kind]: async ({ destination }) => [destination, {}],
  [jobs.moveDigests.kind]: async ({ orgId }) => [orgId, { last: '' }],
  [jobs.moveSessionEnds.kind]: async ({ orgId }) => [orgId, { last: '' }],
  [jobs.revokeDevices.kind]: async ({ people }) => [people.eve.accountId, {}],
};

/** Writes a row that asks for a job of this kind, unless there is one. Returns its key, and when it is due. */
export async function askFor(
  whole: WholeTenant,
  ctx: TestContext,
  kind: string,
): Promise<{ key: string; dueMs: number }> {
  const known = await dueRows(ctx).findOne({ kind, org_id: whole.orgId });
  const [key, details] = (await MOVES[kind]?.(whole, ctx)) ?? [known?.key ?? '', {}];
  const row = {
    _id: `${kind} ${key}`,
    kind,
    key,
    org_id: whole.orgId,
    due_at: new Date(ctx.clock.now()),
    ...details,
  };
  if (!known) await dueRows(ctx).insertOne(row);
  const asked = known ?? row;
  return { key: asked.key, dueMs: asked.due_at.getTime() };
}
