import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyRoute } from '../../api/basics/route.ts';
import { unsubscribeUrl } from '../../shared/core/events/webhooks/endpoints/unsubscribe.ts';
import { budgetRows } from '../../shared/core/limits/budgets/rules/model.ts';
import { BUDGETS_PER_ORGANIZATION, SCOPES } from '../../shared/platform/basics/contract.ts';
import { ERRORS, type ErrorCode } from '../../shared/platform/basics/errors.ts';
import { payloadOf, proofOf } from '../support/code-hosts.ts';
import { BUDGET } from '../support/fixture.ts';
import { openTestContext, startApi, type TestApi } from '../support/harness.ts';
import { REQUESTS } from '../support/operations.ts';
import { makePerson } from '../support/people.ts';
import { sendRaw } from '../support/raw-http.ts';
import {
  codesOf,
  fieldsOf,
  holderOf,
  NO_OBJECT,
  nameOf,
  pathOf,
  queryOf,
  routes,
} from '../support/read-routes.ts';
import { eventOf, paidSessionAt, stripeSignature } from '../support/stripe.ts';
import { type As, makeWhole, type WholeTenant, wholeFixture } from '../support/whole-tenant.ts';
import { wrongFields, wrongNumbers, wrongTexts } from '../support/wrong-values.ts';

const host = await wholeFixture();
let own: WholeTenant;
const apis: TestApi[] = [];
beforeAll(async () => {
  own = await makeWhole(host);
});
afterAll(async () => {
  for (const api of apis) await api.close();
});

const BASE_URL = 'https://governor.example';
const HOUR = 3_600_000;
const verbOf = ({ method }: AnyRoute) => (method === 'any' ? 'GET' : method.toUpperCase());
/** The path of a route, with ids that nobody has. */
const nowhere = ({ path }: AnyRoute) => path.replaceAll(/\{\w+\}/g, 'none');

interface Sent {
  as?: As;
  headers?: Record<string, string>;
  body?: object;
  at?: TestApi;
  id?: string;
}
interface Seen {
  status: number;
  text: string;
}

/** A request that its route takes, but for what is given. */
function send(route: AnyRoute, more: Sent = {}): Promise<Seen> {
  const request = REQUESTS[nameOf(route)]?.request;
  if (request) return request.send(own, host, more);
  const query = route.path.endsWith('/search') ? '?q=ada' : '';
  const isOfObject = route.method === 'get' && !NO_OBJECT.has(route.path) && more.id === undefined;
  const path = isOfObject ? pathOf(route.path, own) + query : nowhere(route);
  const body = BODIES[nameOf(route)];
  const fields = route.method === 'post' && (body || more.body) ? { ...body, ...more.body } : undefined;
  return own.callAt(
    more.at ?? host.api,
    more.as ?? holderOf(route),
    verbOf(route),
    path,
    fields,
    more.headers,
  );
}

/** Bodies of routes that change nothing, or that a row of `REQUESTS` sends in several steps. */
const BODIES: Readonly<Record<string, object>> = {
  'post /api/v1/budgets/preview': BUDGET,
  'post /api/v1/budgets/check': { user_id: 'ada' },
  'post /api/v1/webhooks/preview': { format: 'slack', type: 'digest' },
  'post /v1/device_authorization/lookup': { user_code: 'BCDF-GHJK' },
  'post /v1/device_authorization/approve': { user_code: 'BCDF-GHJK' },
  'post /v1/device_authorization/deny': { user_code: 'BCDF-GHJK' },
  'post /v1/token': { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'none' },
};

/** A request with a body that is sent as it is, by somebody whom the route lets in. */
const sendText = (route: AnyRoute, body: string, headers: Record<string, string> = {}): Promise<Seen> =>
  own.call(
    REQUESTS[nameOf(route)]?.request?.as ?? adminOf(route),
    verbOf(route),
    nowhere(route),
    body,
    headers,
  );
const adminOf = (route: AnyRoute): As =>
  /raises\/\{id\}\/(approve|deny|revoke)/.test(route.path) ? 'admin' : holderOf(route);

/** A request as bytes, of which the answer has a status line. */
async function sendBytes(route: AnyRoute, headers: string): Promise<Seen> {
  const as = REQUESTS[nameOf(route)]?.request?.as ?? adminOf(route);
  const key = await own.credentialOf(as);
  const proof = key ? `Authorization: Bearer ${key}\r\n` : '';
  const text = await sendRaw(
    host.api.url,
    `${verbOf(route)} ${nowhere(route)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${proof}${headers}\r\n\r\n`,
  );
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1]), text };
}

/** An api that is started when it is first asked for. */
function api(make: () => Promise<TestApi>): () => Promise<TestApi> {
  let made: Promise<TestApi> | undefined;
  return () => {
    made ??= make().then((started) => {
      apis.push(started);
      return started;
    });
    return made;
  };
}

const withConfig = (config: Partial<typeof host.ctx.config>) =>
  api(() => startApi({ ctx: { ...host.ctx, config: { ...host.ctx.config, ...config } } }));
const limited = withConfig({ rateLimits: true, rateLimitPerKey: 1, rateLimitPerAddress: 1 });
const withoutIssuer = withConfig({ oidcIssuer: 'http://127.0.0.1:9' });
const alone = withConfig({ oidcIssuer: undefined });
const withoutStripe = withConfig({ stripeSecretKey: undefined, stripeWebhookSecret: undefined });
/** Its handlers have a fault. */
const faulty = api(() => {
  const handle = () => {
    throw new Error('A fault of ours.');
  };
  return startApi({ ctx: host.ctx, routes: routes.map((route) => ({ ...route, handle })) as AnyRoute[] });
});
/** It has lost its stores. */
const cutOff = api(async () => {
  const ctx = await openTestContext({ sharing: host.ctx, clock: host.clock });
  const started = await startApi({ ctx });
  await ctx.db.connection.getClient().close();
  for (const redis of [ctx.redis.meter, ctx.redis.producer]) redis.disconnect();
  return started;
});
const at =
  (start: () => Promise<TestApi>, more: Sent = {}) =>
  async (route: AnyRoute) =>
    send(route, { ...more, at: await start() });

/** The first answer with this status to one of several requests. */
async function untilStatus(status: number, ask: () => Promise<Seen>, most = 20): Promise<Seen> {
  for (let left = most; ; left -= 1) {
    const answer = await ask();
    if (answer.status === status || left === 0) return answer;
  }
}

/** A key of the organization that does not hold the scope which a route asks for. */
async function withoutScope({ auth }: AnyRoute): Promise<Record<string, string>> {
  const needed = auth.kind === 'api-key' ? auth.scope : 'usage:read';
  // No key for all users holds both `budgets:…` without `usage:read`.
  const scopes = SCOPES.filter(
    (scope) => scope !== needed && !(needed === 'usage:read' && scope === 'budgets:check'),
  );
  return { Authorization: `Bearer ${await own.keyOf(null, scopes)}` };
}

/** The codes of a device that asks to be linked. */
const codesOfDevice = async (): Promise<{ user_code: string; device_code: string }> => {
  const { user_code, device_code } = await own.must('nobody', 'POST', '/v1/device_authorization', {});
  return { user_code, device_code };
};
const free = () => host.tenant({ plan: 'free' });
let made = 0;
function another(): string {
  made += 1;
  return `another ${made}`;
}

type Provoke = (route: AnyRoute) => Promise<Seen>;

/** How each code is provoked on any route that documents it, or the test that does it, where a route has no part in it. */
const CODES: Readonly<Record<string, Provoke | string>> = {
  // Without its stores too: nothing is looked up for nonsense.
  unauthorized: (route) => at(cutOff, { as: 'nobody', headers: { Authorization: 'Bearer nonsense' } })(route),
  missing_scope: async (route) =>
    route.auth.kind === 'idp'
      ? send(route, { as: 'ada' })
      : send(route, { as: 'nobody', headers: await withoutScope(route) }),
  invalid_request: (route) => own.call(adminOf(route), verbOf(route), `${nowhere(route)}?nonsense=1`),
  malformed_json: (route) => sendText(route, '{'),
  unsupported_media_type: (route) =>
    sendText(route, 'x', { 'Content-Type': 'application/nonsense; charset=utf-16' }),
  payload_too_large: (route) =>
    sendBytes(route, 'Content-Type: application/json\r\nContent-Length: 999999999'),
  headers_too_large: (route) => sendBytes(route, `X-Long: ${'x'.repeat(20_000)}`),
  internal: (route) => at(faulty, { headers: { 'Idempotency-Key': another() } })(route),
  invalid_cursor: (route) => own.call(holderOf(route), 'GET', `${pathOf(route.path, own)}?cursor=x`),
  not_found: (route) => send(route, { id: 'none', body: NAMES_NONE[nameOf(route)] ?? {} }),
  too_many_requests: (route) => untilStatus(429, () => at(limited)(route)),
  issuer_unavailable: at(withoutIssuer),
  store_unavailable: at(cutOff),
  invalid_grant: (route) => send(route),
  expired_token: async (route) => {
    const { user_code, device_code } = await codesOfDevice();
    host.clock.advance(HOUR);
    return send(route, { body: route.path === '/v1/token' ? { device_code } : { user_code } });
  },
  plan_required: async ({ path }) => {
    const { orgId, key } = await free();
    return host.send(`${path.replace('{orgId}', orgId)}?team=red`, undefined, { key });
  },
  own_request: async (route) => {
    const body = { budget_id: own.budgets.at(-1), amount: 1 };
    const { id } = await own.must('admin', 'POST', '/v1/raises', body);
    const answer = await send(route, { id });
    await own.must('admin', 'POST', `/v1/raises/${id}/withdraw`, {});
    return answer;
  },
  invalid_signature: (route) => own.call('nobody', 'POST', nowhere(route), {}),
  not_ready: (route) => at(withoutStripe, { headers: { 'Idempotency-Key': another() } })(route),
  payments_unavailable: async (route) => {
    host.stripe.failing = 500;
    const answer = await send(route, { headers: { 'Idempotency-Key': 'unpaid' } });
    host.stripe.failing = null;
    return answer;
  },
  rebuilding: async (route) => {
    await host.ctx.redis.meter.flushall();
    return send(route);
  },
  insufficient_credits: (route) => {
    const headers = { Authorization: `Bearer ${own.devices.eve.access_token}` };
    return untilStatus(402, () =>
      send(route, { as: 'nobody', headers: { ...headers, 'Idempotency-Key': another() } }),
    );
  },
  budget_refused: (route) => send(route, { headers: { 'X-Governor-Estimate-Usd': '900000' } }),
  cross_site: (route) => send(route, { headers: { Origin: 'https://elsewhere.example' } }),
  unsupported_grant_type: (route) => send(route, { body: { grant_type: 'nonsense' } }),
  authorization_pending: async (route) => {
    const { device_code } = await codesOfDevice();
    return send(route, { body: { device_code } });
  },
  slow_down: async (route) => {
    const { device_code } = await codesOfDevice();
    await send(route, { body: { device_code } });
    return send(route, { body: { device_code } });
  },
  access_denied: async (route) => {
    const { user_code, device_code } = await codesOfDevice();
    await own.must('ada', 'POST', '/v1/device_authorization/deny', { user_code });
    return send(route, { body: { device_code } });
  },
  revoke_made_needed: async (route) => {
    const { userId, sub } = await makePerson(host.ctx, host.idp, { orgId: own.orgId, role: 'admin' });
    const headers = { Authorization: `Bearer ${await host.idp.mint(sub, { nowMs: host.clock.now() })}` };
    await own.must('nobody', 'POST', '/v1/keys', { name: another(), scopes: ['usage:read'] }, headers);
    const body = { role: 'member' };
    return own.call(
      'admin',
      verbOf(route),
      `/v1/members/${userId}`,
      route.method === 'patch' ? body : undefined,
    );
  },
  too_many_keys: 'api/members-and-keys',
  too_many_devices: 'abuse/identity: 69',
  signing_unavailable: 'api/signing-key, drills/redis-faults',
  backpressure: 'drills/redis-faults',
  idempotency_key_reused: 'laws/lists-and-writes: a request with an Idempotency-Key',
  conflict: async (route) => {
    // A repeat would show the secret again; without one the second is another request, for what is there already.
    const headers = route.creates?.holdsSecret ? { 'Idempotency-Key': another() } : {};
    await send(route, { headers });
    return send(route, { headers });
  },
  outcome_unknown: 'api/answer-in-time, for each method; drills/dark-signals',
  overloaded: 'api/operations: it is decided before there is a route',
  request_timeout: 'abuse/http: the server answers before there is a route',
};

/** Fields of a body that name something that nobody has. */
const NAMES_NONE: Readonly<Record<string, object>> = {
  'post /api/v1/raises': { budget_id: 'none' },
  'post /v1/raises': { budget_id: 'none' },
  'post /v1/devices/revoke': { device_id: 'none' },
  'post /api/v1/webhooks/test': { webhook_id: 'none' },
  'post /admin/credits': { org_id: 'none' },
};

/** A request to a route of another service's events, with the signature of its body. */
function sendSigned(
  { path }: AnyRoute,
  body: string,
  type = 'application/json',
  to: TestApi = host.api,
): Promise<Seen> {
  const isStripe = path.includes('stripe');
  const { id, secret } = own.codeHost;
  const proof = isStripe
    ? { 'Stripe-Signature': stripeSignature(body, { atMs: host.clock.now() }) }
    : proofOf('github', secret, body);
  return own.callAt(to, 'nobody', 'POST', path.replace('{id}', id), body, { ...proof, 'Content-Type': type });
}
/** An event that its route takes. */
function eventFor({ path }: AnyRoute): string {
  if (path.includes('stripe'))
    return JSON.stringify(
      eventOf(paidSessionAt(host.stripe, [...host.stripe.sessions.values()][0]?.url ?? '')),
    );
  return JSON.stringify(payloadOf('github', { number: 13 }));
}
const EVENTS = ['post /integrations/stripe/webhook', 'post /integrations/code-hosts/{id}'];

/** The same for one route. */
const SPECIAL: Readonly<Record<string, Provoke | string>> = {
  ...Object.fromEntries(
    EVENTS.flatMap((name): [string, Provoke][] => [
      [`malformed_json ${name}`, (route) => sendSigned(route, '{')],
      [`unsupported_media_type ${name}`, (route) => sendSigned(route, 'x', 'application/nonsense')],
      [`internal ${name}`, async (route) => sendSigned(route, '{}', undefined, await faulty())],
      [
        `store_unavailable ${name}`,
        async (route) => sendSigned(route, eventFor(route), undefined, await cutOff()),
      ],
      [`rebuilding ${name}`, (route) => sendSigned(route, eventFor(route))],
      [`not_ready ${name}`, async (route) => sendSigned(route, '{}', undefined, await withoutStripe())],
      [`payload_too_large ${name}`, (route) => sendSigned(route, 'x'.repeat(2 ** 21))],
    ]),
  ),
  ...Object.fromEntries(
    [
      'missing_scope get /api/v1/raises',
      'missing_scope get /api/v1/raises/{id}',
      'missing_scope get /api/v1/organization',
    ].map((row) => [row, 'any key will do']),
  ),
  ...Object.fromEntries(
    [
      'get /.well-known/jwks.json',
      'get /.well-known/oauth-protected-resource',
      'get /.well-known/oauth-protected-resource/mcp',
      'get /metrics',
    ].map((name) => [`store_unavailable ${name}`, 'it reads no store']),
  ),
  'store_unavailable post /v1/device_authorization': 'a code may have been made: outcome_unknown',
  'outcome_unknown post /v1/device_authorization': at(cutOff),
  'too_many_requests get /metrics': 'the operator may ask as often as he likes',
  'issuer_unavailable post /mcp': async (route) => {
    const token = await host.idp.mint(own.people.ada.sub, {
      nowMs: host.clock.now(),
      claims: { aud: `${BASE_URL}/mcp` },
    });
    return send(route, {
      as: 'nobody',
      headers: { Authorization: `Bearer ${token}` },
      at: await withoutIssuer(),
    });
  },
  ...Object.fromEntries(
    ['get', 'post'].map((verb): [string, Provoke] => [
      `store_unavailable ${verb} /v1/unsubscribe/{token}`,
      async ({ method }) => {
        const { pathname } = new URL(unsubscribeUrl(host.ctx.config, own.people.ada.accountId));
        return own.callAt(await cutOff(), 'nobody', method.toUpperCase(), pathname);
      },
    ]),
  ),
  'missing_scope post /v1/keys/{id}/rotate': 'api/members-and-keys',
  'not_found post /api/v1/budgets/preview': (route) =>
    own.call('key', 'POST', `${route.path}?budget_id=none`, BUDGET),
  'not_found post /mcp': 'a tool that finds nothing answers so in its result: api/mcp',
  'not_found get /.well-known/oauth-protected-resource': at(alone),
  'not_found get /.well-known/oauth-protected-resource/mcp': at(alone),
  'not_found post /integrations/code-hosts/{id}': (route) => {
    const body = eventFor(route);
    return own.call('nobody', 'POST', nowhere(route), body, proofOf('github', own.codeHost.secret, body));
  },
  'store_unavailable get /v1/unsubscribe/{token}': 'it reads no store',
  'too_many_requests post /admin/credits': 'the operator may ask as often as he likes',
  'rebuilding post /v1/token': async (route) => {
    const { user_code, device_code } = await codesOfDevice();
    await own.must('ada', 'POST', '/v1/device_authorization/approve', { user_code });
    await host.ctx.redis.meter.flushall();
    return send(route, { body: { device_code } });
  },
  ...Object.fromEntries(
    [
      'post /api/v1/budgets/reserve',
      'post /api/v1/budgets/release',
      'post /v1/budgets/{id}/release-reservations',
      'any /gate',
    ].map((name) => [`rebuilding ${name}`, 'while other data is being counted: api/reservations']),
  ),
  'rebuilding get /v1/credits/checkout/{id}': 'api/purchases',
  'conflict get /api/v1/budgets/{id}/people': () =>
    own.call('key', 'GET', `/api/v1/budgets/${own.budgets[0]}/people`),
  ...Object.fromEntries(
    ['put', 'delete'].map((verb): [string, Provoke] => [
      `conflict ${verb} /api/v1/budgets/{id}/people/{user_id}`,
      (route) => send(route, { id: own.budgets[0] ?? '' }),
    ]),
  ),
  'conflict patch /api/v1/budgets/{id}': (route) =>
    own.call('key', 'PATCH', route.path.replace('{id}', own.template), { per: null, scope: 'org' }),
  'conflict post /api/v1/budgets/preview': (route) =>
    own.call('key', 'POST', `${route.path}?budget_id=${own.template}`, BUDGET),
  ...Object.fromEntries(
    ['patch', 'delete'].map((verb): [string, Provoke] => [
      `conflict ${verb} /v1/members/{user_id}`,
      (route) =>
        own.call(
          'admin',
          verbOf(route),
          '/v1/members/grace',
          verb === 'patch' ? { role: 'member' } : undefined,
        ),
    ]),
  ),
  ...Object.fromEntries(
    ['approve', 'deny', 'revoke'].map((answer): [string, Provoke] => [
      `conflict post /v1/raises/{id}/${answer}`,
      async (route) => {
        const [id = ''] = own.ownRaises;
        await own.must('ada', 'POST', `/v1/raises/${id}/withdraw`, {});
        return send(route, { id });
      },
    ]),
  ),
  ...Object.fromEntries(
    ['/api/v1', '/v1'].map((under): [string, Provoke] => [
      `conflict post ${under}/raises/{id}/withdraw`,
      // It has been approved.
      (route) => send(route, { id: own.ownRaises[3] ?? '' }),
    ]),
  ),
  'conflict post /v1/device_authorization': 'api/idempotency',
  'conflict post /api/v1/destinations': 'api/destinations',
  'conflict post /api/v1/webhooks': 'api/idempotency',
  'conflict post /api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver': 'api/webhooks',
  'conflict post /v1/preferences/digest': async (route) => {
    await own.must(
      'nobody',
      'POST',
      new URL(unsubscribeUrl(host.ctx.config, own.people.bob.accountId)).pathname,
    );
    const { sub } = own.people.bob;
    const headers = { Authorization: `Bearer ${await host.idp.mint(sub, { nowMs: host.clock.now() })}` };
    return send(route, { as: 'nobody', headers });
  },
  'conflict post /api/v1/destinations/{id}/runs': async (route) => {
    const [, id = ''] = own.spareDestinations;
    await own.must('key', 'PATCH', `/api/v1/destinations/${id}`, { enabled: false });
    return send(route);
  },
  'conflict post /api/v1/sessions/{id}/void': 'of calls of more than 35 days: api/void',
  'conflict post /v1/credits/checkout': 'api/purchases',
  'conflict post /integrations/stripe/webhook': 'api/purchases',
  // An account holds a hundred lots, one for each time at which credits expire.
  'conflict post /admin/credits': (route) => {
    const lot = { bucket: 'granted', amount: 1 };
    const ask = () => {
      const expires_at = Math.floor(host.clock.now() / 1_000) + 90 * 86_400 + made;
      const headers = { 'Idempotency-Key': another() };
      return send(route, { body: { ...lot, expires_at }, headers });
    };
    return untilStatus(409, ask, 110);
  },
  'conflict post /v1/invitations': 'api/idempotency',
  'conflict post /api/v1/budgets': async ({ path }) => {
    const full = await host.tenant();
    const { _id, ...fields } = await full.budget();
    const others = Array.from({ length: BUDGETS_PER_ORGANIZATION - 1 }, (_, at) => ({
      ...fields,
      _id: `${_id}-${at}`,
    }));
    await budgetRows(host.ctx).insertMany(others);
    const answer = await host.send(path, BUDGET, { key: full.key });
    await budgetRows(host.ctx).deleteMany({ org_id: full.orgId });
    return answer;
  },
  'conflict post /api/v1/repricings': 'beside another one that is made: api/repricings',
  'conflict delete /api/v1/repricings/{id}': async (route) => {
    await own.must('key', 'POST', `/api/v1/repricings/${own.repricings[1]}/apply`, undefined);
    return send(route);
  },
  'preview_stale post /api/v1/repricings/{id}/apply': async (route) => {
    await own.must('key', 'DELETE', `/api/v1/price-rules/${own.priceRules[0]}`, undefined);
    return send(route);
  },
  'conflict post /api/v1/price-rules': 'at 1000 rules: api/price-rules',
  'missing_scope post /v1/keys': (route) => send(route, { as: 'ada', body: { user_id: 'bob' } }),
  'not_ready get /readyz': async (route) => {
    const stopping = await startApi({ ctx: host.ctx });
    apis.push(stopping);
    stopping.state.stopping = true;
    return send(route, { at: stopping });
  },
};

const documented = routes.flatMap((route) => [...codesOf(route)].map((code) => ({ route, code })));

test.each(Object.keys(ERRORS) as ErrorCode[])(
  '%s is answered by each route that documents it',
  async (code) => {
    const wrong: string[] = [];
    for (const { route } of documented.filter((one) => one.code === code)) {
      const provoke = SPECIAL[`${code} ${nameOf(route)}`] ?? CODES[code];
      if (typeof provoke === 'string') continue;
      const { status, text } = (await provoke?.(route)) ?? { status: 'no row', text: '' };
      const isNamed = text.includes(code) || route.errorStyle !== undefined;
      if (status !== ERRORS[code].status || !isNamed)
        wrong.push(`${nameOf(route)}: ${status} ${text.slice(0, 300)}`);
    }
    expect(wrong).toEqual([]);
  },
);

/** Bodies that a tool sends, whatever they are, and those of which each entry has an answer. */
const NO_FIELDS = new Set(['post /hooks/claude-code', 'post /api/v1/contexts']);

test('bodies have hundreds of limits that are documented', () => {
  expect(routes.flatMap((route) => wrongFields(fieldsOf(route))).length).toBeGreaterThan(800);
});

test.each(routes.map((route) => [nameOf(route), route] as const))(
  '%s refuses what is beyond each limit that is documented, and names the field or parameter',
  async (name, route) => {
    const expectRefused = ({ status, text }: Seen, place: string, value: unknown) => {
      const asked = `${place} of ${JSON.stringify(value).slice(0, 200)}`;
      expect(status, `${asked}: ${text}`).toBe(400);
      if (route.errorStyle !== undefined) return;
      const { errors = [] } = JSON.parse(text);
      const named = errors.map(({ pointer, parameter }: Record<string, string>) => pointer ?? parameter);
      expect(named, asked).toContain(place);
    };
    const fields = fieldsOf(route);
    const isKnown = fields.properties && !NO_FIELDS.has(name);
    for (const [pointer, body] of isKnown ? wrongFields(fields) : [])
      expectRefused(await send(route, { body }), pointer, body);
    for (const { name: parameter, schema } of queryOf(route)) {
      const values = schema.type === 'string' ? wrongTexts(schema) : ['x', ...wrongNumbers(schema)];
      for (const value of values) {
        const path = `${nowhere(route)}?${new URLSearchParams({ [parameter]: String(value) }).toString()}`;
        expectRefused(await own.call(adminOf(route), verbOf(route), path), parameter, value);
      }
    }
  },
);
