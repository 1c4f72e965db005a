import { createProgram } from '../../scripts/governor/program.ts';
import { organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { rollupRows, snapshotRows } from '../../shared/core/calls/usage/model.ts';
import { queuedDeliveryRows } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { webhookRows } from '../../shared/core/events/webhooks/endpoints/model.ts';
import { unsubscribeUrl } from '../../shared/core/events/webhooks/endpoints/unsubscribe.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import type { DeclaredCollection, Row as StoredRow } from '../../shared/platform/mongo/collection.ts';
import { RETENTION } from '../../shared/tables/retention.ts';
import { frozenWeekRows } from '../../shared/wings/analytics/model.ts';
import * as jobs from '../../workers/index.ts';
import type { JobRow } from '../../workers/job-row.ts';
import { payloadOf, proofOf } from './code-hosts.ts';
import { makeSignal } from './factories.ts';
import { BUDGET } from './fixture.ts';
import type { Answer, TestApi, TestContext } from './harness.ts';
import { SECRET } from './webhooks.ts';
import {
  type As,
  askFor,
  attemptAllOf,
  type Host,
  SHOP,
  sendPaid,
  type WholeTenant,
} from './whole-tenant.ts';

/** The parts of a request that are sent otherwise. */
interface Sent {
  as?: As;
  headers?: Record<string, string>;
  /** Fields beside those of its body. */
  body?: object;
  /** Instead of the api of the host. */
  at?: Pick<TestApi, 'call'>;
  /** Instead of each id in its path. */
  id?: string;
}

/** A change that one organization makes. */
export interface Operation {
  act: (own: WholeTenant, host: Host, other: WholeTenant) => Promise<unknown>;
  /** The request that it sends, where it is one. */
  request?: { as: As; send: (own: WholeTenant, host: Host, more?: Sent) => Promise<Answer> };
  /** It writes nothing by itself, or not where there is nothing wrong. */
  isQuiet?: true;
}

const DAY = 86_400_000;
const iso = (ms: number) => new Date(ms).toISOString();

type Body = (own: WholeTenant, host: Host) => unknown;

interface Row {
  /** The values of the parameters of its path. */
  of?: (own: WholeTenant) => Record<string, string>;
  /** Makes what it is about. */
  before?: (own: WholeTenant, host: Host) => Promise<unknown>;
  body?: Body;
  headers?: Record<string, string>;
  /** The status with the ids of another organization, where its body names some. */
  foreign?: number;
  isQuiet?: true;
}

/** A request by a credential of the organization. With the ids of another one it must find nothing. */
function request(name: string, as: As, row: Row = {}): [string, Operation] {
  const { of, body, headers, foreign = of && 404 } = row;
  const [method = '', path = ''] = name.split(' ');
  const verb = method === 'any' ? 'GET' : method.toUpperCase();
  const send = (own: WholeTenant, host: Host, named: WholeTenant) => {
    const values = of?.(named) ?? {};
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, field) => values[field] ?? '');
    return own.call(as, verb, filled, body?.(named, host), headers);
  };
  const act: Operation['act'] = async (own, host, other) => {
    // A person is named by the user id, which organizations share.
    const isNamed = !row.foreign && Object.keys(of?.(own) ?? {}).join() === 'user_id';
    const found = foreign && !isNamed ? await send(own, host, other) : null;
    if (found && found.status !== foreign)
      throw new Error(`${name} of another one: ${found.status} ${found.text}`);
    await row.before?.(own, host);
    const answer = await send(own, host, own);
    if (answer.status >= 300) throw new Error(`${name}: ${answer.status} ${answer.text}`);
  };
  const sendOwn = (own: WholeTenant, host: Host, more: Sent = {}) => {
    const values = of?.(own) ?? {};
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, field) => more.id ?? values[field] ?? '');
    const given = { ...(body?.(own, host) as object), ...more.body };
    const fields = verb === 'GET' ? undefined : given;
    const sent = { ...headers, ...more.headers };
    return own.callAt(more.at ?? host.api, more.as ?? as, verb, filled, fields, sent);
  };
  return [name, { act, request: { as, send: sendOwn }, ...(row.isQuiet ? { isQuiet: true } : {}) }];
}

const budget = (at: number) => ({ of: ({ budgets }: WholeTenant) => ({ id: budgets.at(at) ?? '' }) });
const webhook = { of: ({ webhook: id }: WholeTenant) => ({ id }) };
const raise = (at: number) => ({ of: ({ ownRaises }: WholeTenant) => ({ id: ownRaises[at] ?? '' }) });
const anomaly = { of: ({ anomaly: id }: WholeTenant) => ({ id }) };
const destination = { of: ({ destination: id }: WholeTenant) => ({ id }) };
const keyId = ({ spareKeys }: WholeTenant) => ({ id: spareKeys[1] ?? '' });
const withKey = { 'Idempotency-Key': 'once more' };

/** One row for each route that writes, in an order in which each finds what it is about. */
export const REQUESTS: Readonly<Record<string, Operation>> = Object.fromEntries([
  request('post /api/v1/signals', 'key', {
    body: (_, { clock }) => ({
      signals: [
        makeSignal({ id: 'late', ts: clock.now() - 6 * 3_600_000 - 1, user_id: 'ada', project_id: 'shop' }),
        makeSignal({ id: 'one', ts: clock.now(), user_id: 'ada' }),
        makeSignal({ id: 'branch', ts: clock.now(), user_id: 'ada', repository: SHOP, branch: 'cart' }),
      ],
    }),
  }),
  request('post /api/v1/contexts', 'bound', {
    body: (_, { clock }) => {
      const context = { client_session_id: 's-1', ts: iso(clock.now() - 6.5 * 3_600_000), repository: SHOP };
      return { contexts: [{ ...context, branch: 'moved', renamed_from: 'cart' }] };
    },
  }),
  request('post /otlp/v1/logs', 'key', { body: () => ({}), isQuiet: true }),
  request('post /otlp/v1/traces', 'key', { body: () => ({}), isQuiet: true }),
  request('post /otlp/v1/metrics', 'key', { body: () => ({}), isQuiet: true }),
  request('post /api/v1/held-signals/release', 'key', {
    body: ({ held }) => ({ ids: held.slice(0, 1) }),
    foreign: 200,
  }),
  request('post /api/v1/held-signals/discard', 'key', {
    body: ({ held }) => ({ ids: held.slice(1, 2) }),
    foreign: 200,
  }),
  request('post /api/v1/sessions/{id}/close', 'key', {
    of: ({ sessions }) => ({ id: sessions.at(-1) ?? '' }),
  }),
  request('post /api/v1/sessions/{id}/void', 'key', {
    of: ({ sessions }) => ({ id: sessions[0] ?? '' }),
    body: () => ({ signal_ids: ['one', 'wrong'], reason: 'wrong' }),
  }),
  request('post /api/v1/pull-requests', 'key', {
    body: (_, { clock }) => ({
      repository: SHOP,
      number: 12,
      branch: 'cart',
      state: 'merged',
      opened_at: iso(clock.now() - 2 * DAY),
      closed_at: iso(clock.now() - 3_600_000),
    }),
  }),
  [
    'post /integrations/code-hosts/{id}',
    {
      act: async (own, { clock }) => {
        const { id, secret } = own.codeHost;
        const ended = { state: 'closed', updatedAt: iso(clock.now()), closedAt: iso(clock.now()) } as const;
        const body = JSON.stringify(payloadOf('github', { number: 13, ...ended }));
        await own.call(
          'nobody',
          'POST',
          `/integrations/code-hosts/${id}`,
          body,
          proofOf('github', secret, body),
        );
      },
    },
  ],
  request('delete /v1/pull-requests/{id}', 'admin', { of: ({ pullRequest: id }) => ({ id }) }),
  request('post /api/v1/budgets', 'key', {
    body: () => BUDGET,
    headers: { 'Idempotency-Key': 'R0 monthly' },
  }),
  request('patch /api/v1/budgets/{id}', 'key', {
    ...budget(0),
    body: ({ people }) => ({ threshold: 2, window: 'monthly', owner: { user_id: people.grace.userId } }),
  }),
  request('delete /api/v1/budgets/{id}', 'key', budget(5)),
  request('put /api/v1/budgets/{id}/people/{user_id}', 'key', {
    of: ({ template: id }) => ({ id, user_id: 'ada' }),
    body: () => ({ exempt: true }),
  }),
  request('delete /api/v1/budgets/{id}/people/{user_id}', 'key', {
    of: ({ template: id }) => ({ id, user_id: 'bob' }),
  }),
  request('post /api/v1/budgets/reserve', 'bound', {
    body: () => ({ estimate_usd: 2, ttl_s: 3_000 }),
    headers: withKey,
  }),
  request('post /api/v1/budgets/release', 'bound', {
    body: ({ reservation }) => ({ reservation_id: reservation }),
    foreign: 204,
  }),
  request('post /v1/budgets/{id}/release-reservations', 'admin', {
    ...budget(-1),
    body: () => ({ user_id: 'eve' }),
  }),
  request('post /hooks/claude-code', 'bound', { body: () => ({ hook_event_name: 'Stop' }), isQuiet: true }),
  request('any /gate', 'bound', {
    headers: { 'X-Governor-Estimate-Usd': '0.25', 'X-Governor-Request-Id': 'q' },
  }),
  request('post /mcp', 'bound', {
    body: () => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'reserve_spend', arguments: { estimate_usd: 1, idempotency_key: 'm' } },
    }),
    headers: { Accept: 'application/json, text/event-stream' },
  }),
  request('post /api/v1/raises', 'bound', {
    body: ({ template }) => ({ budget_id: template, amount: 1 }),
    foreign: 404,
  }),
  request('post /api/v1/raises/{id}/withdraw', 'bound', { of: ({ raises }) => ({ id: raises[0] ?? '' }) }),
  request('post /v1/raises', 'ada', {
    body: ({ budgets }) => ({ budget_id: budgets.at(-7), amount: 1 }),
    foreign: 404,
  }),
  request('post /v1/raises/{id}/withdraw', 'ada', raise(0)),
  request('post /v1/raises/{id}/approve', 'admin', { ...raise(1), body: () => ({}) }),
  request('post /v1/raises/{id}/deny', 'admin', { ...raise(2), body: () => ({ note: 'no' }) }),
  request('post /v1/raises/{id}/revoke', 'admin', { ...raise(3), body: () => ({}) }),
  request('post /v1/anomalies/{id}/acknowledge', 'admin', { ...anomaly, body: () => ({}) }),
  request('post /v1/anomalies/{id}/expect', 'admin', {
    ...anomaly,
    body: ({ pricedAnew }) => ({
      of: 'person',
      until: new Date(Date.parse(pricedAnew.to) + 90 * 86_400_000),
    }),
  }),
  request('post /admin/credits', 'operator', {
    body: ({ orgId }) => ({ org_id: orgId, user_id: 'ada', bucket: 'paid', amount: 2 }),
    headers: withKey,
  }),
  request('post /v1/meter/consume', 'device', {
    body: () => ({ output_sha256: 'a'.repeat(64) }),
    headers: withKey,
  }),
  request('post /v1/credits/checkout', 'ada', {
    body: () => ({ credits: 100 }),
    headers: withKey,
    isQuiet: true,
  }),
  [
    'post /integrations/stripe/webhook',
    {
      act: async (own, host) =>
        sendPaid(host, (await own.must('ada', 'POST', '/v1/credits/checkout', { credits: 500 })).url),
    },
  ],
  request('post /v1/device_authorization', 'nobody', { body: () => ({ name: 'laptop' }) }),
  ['post /v1/device_authorization/deny', { act: (own) => link(own, ['deny']) }],
  ['post /v1/device_authorization/approve', { act: (own) => link(own, ['approve']) }],
  ['post /v1/token', { act: (own) => link(own, ['approve', 'redeem']) }],
  request('post /v1/devices/revoke', 'ada', {
    body: ({ device }) => ({ device_id: device.device_id }),
    foreign: 404,
  }),
  request('post /api/v1/price-rules', 'key', {
    body: () => ({ name: 'Own', from: '2026-01-01', match: { model: 'other' }, free: true }),
  }),
  request('patch /api/v1/price-rules/{id}', 'key', {
    of: ({ priceRules }) => ({ id: priceRules[0] ?? '' }),
    body: () => ({ name: 'Renamed' }),
  }),
  request('post /api/v1/prices/quote', 'key', {
    body: () => ({ model: 'gpt-5', tokens_in: 5 }),
    isQuiet: true,
  }),
  request('post /api/v1/repricings', 'key', {
    body: ({ pricedAnew }) => pricedAnew,
  }),
  request('post /api/v1/repricings/{id}/apply', 'key', {
    of: ({ repricings }) => ({ id: repricings[0] ?? '' }),
    before: previewAgain,
  }),
  request('delete /api/v1/repricings/{id}', 'key', {
    of: ({ repricings }) => ({ id: repricings[1] ?? '' }),
  }),
  request('post /api/v1/destinations', 'key', {
    body: () => ({
      name: 'Finance',
      kind: 'folder',
      prefix: 'x',
      levels: [{ level: 'sessions', format: 'csv' }],
    }),
  }),
  request('patch /api/v1/destinations/{id}', 'key', { ...destination, body: () => ({ hour_utc: 5 }) }),
  request('post /api/v1/destinations/{id}/test', 'key', { ...destination, isQuiet: true }),
  request('post /api/v1/destinations/{id}/runs', 'key', {
    of: ({ spareDestinations }) => ({ id: spareDestinations[1] ?? '' }),
    body: () => ({ force: true }),
  }),
  request('post /api/v1/webhooks', 'key', {
    body: () => ({ url: 'http://127.0.0.1:9/', events: ['session.ended'], secret: SECRET }),
  }),
  request('patch /api/v1/webhooks/{id}', 'key', {
    ...webhook,
    body: () => ({ name: 'Alerts', alert_at: [80] }),
  }),
  request('post /api/v1/webhooks/test', 'key', {
    body: ({ webhook: id }) => ({ webhook_id: id }),
    foreign: 404,
    isQuiet: true,
  }),
  request('post /api/v1/webhooks/{id}/recover', 'key', {
    ...webhook,
    body: (_, { clock }) => ({ since: iso(clock.now() - DAY) }),
  }),
  request('post /api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver', 'key', {
    of: ({ webhook: id, deliveries }) => ({ id, delivery_id: deliveries[0] ?? '' }),
  }),
  request('post /v1/webhooks/{id}/enable', 'admin', { ...webhook, before: (own, { ctx }) => fail(own, ctx) }),
  [
    'post /v1/unsubscribe/{token}',
    {
      act: ({ must, people }, { ctx }) =>
        must('nobody', 'POST', new URL(unsubscribeUrl(ctx.config, people.ada.accountId)).pathname),
    },
  ],
  request('patch /v1/preferences', 'ada', { body: () => ({ digest: 'weekly' }) }),
  request('post /v1/preferences/digest', 'ada'),
  request('post /v1/members', 'admin', {
    body: () => ({ email: 'zoe@example.org', user_id: 'zoe', role: 'member' }),
  }),
  request('post /v1/invitations', 'admin', {
    body: () => ({ emails: ['new@example.org', 'newer@example.org'], role: 'member', mail: true }),
  }),
  request('patch /v1/members/{user_id}', 'admin', {
    of: () => ({ user_id: 'ada' }),
    body: () => ({ teams: [] }),
  }),
  request('delete /v1/members/{user_id}', 'admin', { of: () => ({ user_id: 'eve' }) }),
  request('post /v1/keys', 'ada', { body: () => ({ name: 'laptop of ada', scopes: ['usage:read'] }) }),
  request('post /v1/keys/{id}/rotate', 'admin', { of: keyId, body: () => ({}) }),
  request('delete /v1/keys/{id}', 'admin', { of: keyId }),
  request('patch /v1/organization', 'admin', {
    body: () => ({ session_timeout: 900, timezone: 'Asia/Tokyo', hash_names: true }),
  }),
  request('post /v1/code-hosts', 'admin', { body: () => ({ provider: 'gitlab' }) }),
  request('delete /v1/code-hosts/{id}', 'admin', { of: ({ codeHost: { id } }) => ({ id }) }),
  request('delete /api/v1/webhooks/{id}', 'key', { of: ({ spareWebhook: id }) => ({ id }) }),
  request('delete /api/v1/price-rules/{id}', 'key', {
    of: ({ priceRules }) => ({ id: priceRules[1] ?? '' }),
  }),
  request('delete /api/v1/destinations/{id}', 'key', {
    of: ({ spareDestinations }) => ({ id: spareDestinations[1] ?? '' }),
  }),
]);

/** Links a device of Ada, as far as these steps go. */
async function link({ must }: WholeTenant, steps: readonly ('deny' | 'approve' | 'redeem')[]) {
  const { device_code, user_code } = await must('nobody', 'POST', '/v1/device_authorization', {});
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  for (const step of steps)
    if (step === 'redeem') await must('nobody', 'POST', '/v1/token', { grant_type, device_code });
    else await must('ada', 'POST', `/v1/device_authorization/${step}`, { user_code });
}

/** A webhook has failed. */
const fail = ({ webhook: _id }: WholeTenant, ctx: TestContext) =>
  webhookRows(ctx).updateOne(
    { _id },
    { $set: { status: 'failing', failing_since: new Date(ctx.clock.now()) } },
  );

/** The job of a row that asks for it, once it is due. */
function due(
  row: JobRow,
  before?: (own: WholeTenant, ctx: TestContext) => Promise<unknown>,
): [string, Operation] {
  const act: Operation['act'] = async (own, { ctx, clock }) => {
    const { key, dueMs } = await askFor(own, ctx, row.kind);
    clock.set(Math.max(clock.now(), dueMs));
    await before?.(own, ctx);
    await row.handle({ key }, ctx);
  };
  return [row.kind, { act }];
}

/** One row for each job. Those that walk over all organizations have work in one alone. */
export const JOBS: Readonly<Record<string, Operation>> = Object.fromEntries([
  // Those that walk over all organizations come first: later on the clock has moved, and there is work in each.
  [
    jobs.makeSnapshots.kind,
    again(snapshotRows, ({ orgId }, { ctx, clock }) =>
      jobs.makeSnapshots.handle({ range: { org_id: orgId, from_ms: 0, to_ms: clock.now() } }, ctx),
    ),
  ],
  [jobs.freezeAnalytics.kind, again(frozenWeekRows, (_, { ctx }) => jobs.freezeAnalytics.handle({}, ctx))],
  [jobs.reconcileUsage.kind, again(rollupRows, (_, { ctx }) => jobs.reconcileUsage.handle({}, ctx))],
  [jobs.closeMonths.kind, { act: closeAgain }],
  [jobs.sendDigests.kind, { act: sendDigestNow }],
  scheduled(jobs.expireHeld),
  scheduled(jobs.expireCredits),
  scheduled(jobs.reconcileCredits),
  scheduled(jobs.purgeOld),
  due(jobs.evaluateBudgets),
  due(jobs.checkSession),
  due(jobs.moveSessionCalls),
  due(jobs.moveBranchCalls),
  due(jobs.planDeliveries),
  [jobs.deliverWebhook.kind, { act: ({ webhook: id }, { ctx }) => attemptAllOf(ctx, id) }],
  [jobs.retryWebhook.kind, { act: failAndRetry }],
  due(jobs.alertAdmins, fail),
  due(jobs.recoverDeliveries),
  due(jobs.drainWebhook),
  due(jobs.reportHeld),
  due(jobs.mailRaise),
  due(jobs.mailOwner),
  due(jobs.endRaise),
  due(jobs.mailDigest),
  due(jobs.mailInvitation),
  due(jobs.runDestination),
  [jobs.applyRepricing.kind, { act: applyAgain }],
  due(jobs.alertDestination),
  due(jobs.releaseReservations),
  [jobs.revokeDevices.kind, { ...due(jobs.revokeDevices)[1], isQuiet: true }],
  due(jobs.moveDigests),
  due(jobs.moveSessionEnds),
  due(jobs.endSession),
  due(jobs.hashNames, ({ orgId }, ctx) => changeOrganization(ctx, orgId, { hash_names: true })),
]);

/** A job that walks over all organizations, and finds nothing to do. */
function scheduled(row: JobRow): [string, Operation] {
  return [row.kind, { act: (_, { ctx }) => row.handle({}, ctx), isQuiet: true }];
}

/** Deletes what a job has made for the organization, so that it has work in this one alone. */
function again<T extends StoredRow & { org_id: string }>(
  rows: DeclaredCollection<T>,
  act: (own: WholeTenant, host: Host) => Promise<unknown>,
): Operation {
  return {
    act: async (own, host) => {
      await rows(host.ctx).deleteMany({ org_id: own.orgId } as never);
      await act(own, host);
    },
  };
}

async function failAndRetry(
  { webhook: id, must }: WholeTenant,
  { ctx, clock, receiver }: Host,
): Promise<void> {
  receiver.behave({ status: 500 });
  await must('key', 'POST', '/api/v1/signals', {
    signals: [makeSignal({ ts: clock.now(), user_id: 'retried' })],
  });
  await attemptAllOf(ctx, id);
  clock.advance(30_000);
  receiver.behave({ status: 200 });
  await attemptAllOf(ctx, id);
}

async function closeAgain({ orgId }: WholeTenant, { ctx }: Host): Promise<void> {
  await organizationRows(ctx).updateOne({ _id: orgId }, { $unset: { focus_closed_through: true } });
  await jobs.closeMonths.handle({}, ctx);
}

async function sendDigestNow({ orgId }: WholeTenant, { ctx, clock }: Host): Promise<void> {
  const webhooks = await webhookRows(ctx).find({ org_id: orgId }).toArray();
  for (const { _id: webhook_id } of webhooks)
    await queuedDeliveryRows(ctx).updateMany(
      { webhook_id, state: 'collected' },
      { $set: { at: clock.now() } },
    );
  await jobs.sendDigests.handle({}, ctx);
}

/** Rules may have changed since the first one was made, and the clock has moved to the next Monday or the next month. */
async function previewAgain(own: WholeTenant, { clock }: Host): Promise<void> {
  const body = { from: iso(clock.now() - 34 * DAY), to: iso(clock.now()) };
  own.repricings[0] = (await own.must('key', 'POST', '/api/v1/repricings', body)).id;
}

/** One that has begun already ends first: an organization has one at a time. */
async function applyAgain(own: WholeTenant, host: Host): Promise<void> {
  const work = () => jobs.applyRepricing.handle({ key: own.repricings[0] ?? '' }, host.ctx);
  await work();
  await previewAgain(own, host);
  await own.must('key', 'POST', `/api/v1/repricings/${own.repricings[0]}/apply`, undefined);
  await work();
}

const old = (nowMs: number) => nowMs + 4_000 * DAY;

/** The rules of retention that run for each organization by itself; the others go by age alone. */
export const PURGES: Readonly<Record<string, Operation>> = Object.fromEntries(
  RETENTION.filter(({ isPerOrganization }) => isPerOrganization).map(({ kind, purge }) => [
    kind,
    { act: ({ orgId }: WholeTenant, { ctx, clock }: Host) => purge(ctx, old(clock.now()), orgId) },
  ]),
);

/** A command of the operator. */
function command(name: string, args: (own: WholeTenant) => string[], isQuiet?: true): [string, Operation] {
  const act: Operation['act'] = async (own, { env }) => {
    await createProgram(env).parseAsync(['node', 'governor', '--json', ...name.split(' '), ...args(own)]);
  };
  return [name, isQuiet ? { act, isQuiet } : { act }];
}

const reads = (names: string) => names.split(', ').map((name) => [name, null] as const);

/** One row for each command; null for those that write nothing. */
export const COMMANDS: Readonly<Record<string, Operation | null>> = Object.fromEntries([
  ...reads(
    'org show, org list, connect, code-host list, destination list, destination show, destination runs',
  ),
  ...reads('member list, key list, credits show, credits plans, credits ledger, status, doctor mongo, due'),
  // The signing key is the one of the whole service.
  ...reads(
    'signing-key rotate, webhook list, check, raise, verify, import, sync, context, pr report, pr summary, replay, mcp',
  ),
  // Their requests have rows of their own.
  ...reads('prices list, prices add, prices end, prices quote, prices reprice, cost'),
  command('org create', () => ['Test']),
  command('org set', ({ orgId }) => [orgId, '--session-timeout', '1200', '--name', 'Own']),
  command('plan', ({ orgId }) => [orgId, 'enterprise']),
  command('code-host create', ({ orgId }) => [orgId, '--provider', 'github']),
  command('code-host delete', ({ orgId, spareHost }) => [orgId, spareHost]),
  command('destination add', ({ orgId }) => [
    orgId,
    ...'--name Finance --kind folder --prefix added --level daily:csv'.split(' '),
  ]),
  command('destination pause', ({ destination: id }) => [id]),
  command('destination resume', ({ destination: id }) => [id]),
  command('destination test', ({ destination: id }) => [id]),
  command('destination run', ({ destination: id }) => [id, '--force']),
  command('destination remove', ({ spareDestinations: [id = ''] }) => [id]),
  command('webhook-secrets rotate', () => []),
  command('member add', ({ orgId }) => [orgId, 'yan@example.org', '--user-id', 'yan']),
  command('member teams', ({ orgId }) => [orgId, 'bob', 'red']),
  command('member identity', ({ orgId }) => [
    orgId,
    'bob',
    '--idp-issuer',
    'https://x.example',
    '--idp-subject',
    orgId,
  ]),
  command('member export', ({ orgId }) => [orgId, 'ada']),
  command('device revoke', ({ devices }) => [devices.carl.device_id]),
  command('member erase', ({ orgId }) => [orgId, 'carl', '--made', 'revoke']),
  command('member remove', ({ orgId }) => [orgId, 'dan', '--made', 'revoke']),
  command('key create', ({ orgId }) => [orgId, '--scope', 'usage:read', '--name', 'laptop of ada']),
  command('key rotate', ({ spareKeys: [id = ''] }) => [id]),
  command('key revoke', ({ spareKeys: [id = ''] }) => [id]),
  command('credits grant', ({ orgId }) => [orgId, 'ada', '3', '--key', 'again']),
  command('credits purchase', ({ orgId }) => [orgId, 'ada', '3', '--key', 'once']),
  command('credits refund', ({ orgId, receipt }) => [orgId, 'ada', receipt]),
  command('credits reconcile', () => ['--repair']),
  command('rebuild', () => []),
  command('usage reconcile', ({ orgId }) => [orgId], true),
  command('usage purge', () => [], true),
  [
    'webhook enable',
    {
      act: async (own, host, other) => {
        await fail(own, host.ctx);
        await command('webhook enable', ({ webhook: id }) => [id])[1].act(own, host, other);
      },
    },
  ],
  command('analytics freeze', ({ orgId }) => [orgId], true),
]);
