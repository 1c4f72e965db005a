import { beforeAll, describe, expect, test } from 'vitest';
import type { AnyRoute } from '../../api/basics/route.ts';
import { routes as table } from '../../api/routes/index.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { mintCredential, mintDeviceToken } from '../../shared/core/accounts/keys/credential.ts';
import { SCOPES } from '../../shared/platform/basics/contract.ts';
import { fixture } from '../support/fixture.ts';
import { linkDevice, makePerson } from '../support/people.ts';

/** A request that passes when the credential does, and what it answers then. */
interface Row {
  status: number;
  path?: string;
  body?: unknown;
}

/**
 * One row for each route of the table; a new route without one fails. The route's `auth` decides what a
 * credential may do, so a row has only the answer for a caller who may call.
 */
const ROWS: Record<string, Row> = {
  'post /api/v1/signals': { body: { signals: [{}] }, status: 200 },
  'post /api/v1/contexts': { body: { contexts: [{}] }, status: 200 },
  'post /otlp/v1/logs': { body: {}, status: 200 },
  'post /otlp/v1/traces': { body: {}, status: 200 },
  'post /otlp/v1/metrics': { body: {}, status: 200 },
  'get /api/v1/held-signals': { status: 200 },
  'post /api/v1/held-signals/release': { body: { ids: ['hld_x'] }, status: 200 },
  'post /api/v1/held-signals/discard': { body: { ids: ['hld_x'] }, status: 200 },
  'post /api/v1/raises': { body: { budget_id: 'bud_x', amount: 1 }, status: 403 },
  'get /api/v1/raises': { status: 200 },
  'get /api/v1/refusals': { status: 200 },
  'get /api/v1/raises/{id}': { path: '/api/v1/raises/rai_x', status: 404 },
  'post /api/v1/raises/{id}/withdraw': { path: '/api/v1/raises/rai_x/withdraw', status: 403 },
  'post /v1/raises': { body: { budget_id: 'bud_x', amount: 1 }, status: 404 },
  'get /v1/raises': { status: 200 },
  'get /v1/raises/{id}': { path: '/v1/raises/rai_x', status: 404 },
  'post /v1/raises/{id}/withdraw': { path: '/v1/raises/rai_x/withdraw', status: 404 },
  'post /v1/raises/{id}/approve': { path: '/v1/raises/rai_x/approve', body: {}, status: 404 },
  'post /v1/raises/{id}/deny': { path: '/v1/raises/rai_x/deny', body: {}, status: 404 },
  'post /v1/raises/{id}/revoke': { path: '/v1/raises/rai_x/revoke', body: {}, status: 404 },
  'post /v1/anomalies/{id}/acknowledge': { path: '/v1/anomalies/anm_x/acknowledge', status: 404 },
  'post /v1/anomalies/{id}/expect': {
    path: '/v1/anomalies/anm_x/expect',
    body: { of: 'person', until: '2099-01-01T00:00:00Z' },
    status: 404,
  },
  'get /api/v1/sessions': { status: 200 },
  'get /api/v1/sessions/{id}': { path: '/api/v1/sessions/ses_x', status: 404 },
  'get /api/v1/sessions/{id}/breakdown': { path: '/api/v1/sessions/ses_x/breakdown', status: 404 },
  'get /api/v1/sessions/{id}/interventions': { path: '/api/v1/sessions/ses_x/interventions', status: 404 },
  'post /api/v1/sessions/{id}/close': { path: '/api/v1/sessions/ses_x/close', status: 404 },
  'post /api/v1/sessions/{id}/void': {
    path: '/api/v1/sessions/ses_x/void',
    body: { signal_ids: ['x'], reason: 'wrong' },
    status: 404,
  },
  'get /api/v1/branches': { status: 200 },
  'get /api/v1/pull-requests': { status: 200 },
  'get /api/v1/pull-requests/summary': { status: 200 },
  'get /api/v1/pull-requests/{id}': { path: '/api/v1/pull-requests/pr_x', status: 404 },
  'post /api/v1/pull-requests': { body: {}, status: 400 },
  'post /v1/meter/consume': { body: {}, status: 400 },
  'get /v1/ledger': { status: 200 },
  'get /v1/balance': { status: 200 },
  'get /v1/org/{orgId}/balances': { path: '/v1/org/org_x/balances', status: 404 },
  'get /v1/credits/price': { status: 200 },
  'post /v1/credits/checkout': { body: { credits: 100 }, status: 503 },
  'get /v1/credits/checkout/{id}': { path: '/v1/credits/checkout/cs_x', status: 200 },
  'post /integrations/stripe/webhook': { body: {}, status: 503 },
  'get /v1/devices': { status: 200 },
  'post /v1/devices/revoke': { body: { device_id: 'dev_x' }, status: 404 },
  'post /v1/device_authorization': { body: {}, status: 200 },
  'post /v1/device_authorization/approve': { body: {}, status: 400 },
  'post /v1/token': { body: {}, status: 400 },
  'post /admin/credits': { body: {}, status: 400 },
  'get /.well-known/jwks.json': { status: 200 },
  'get /api/v1/organization': { status: 200 },
  'get /api/v1/search': { path: '/api/v1/search?q=ada', status: 200 },
  'get /api/v1/usage': { status: 200 },
  'get /api/v1/usage/changes': { status: 200 },
  'get /api/v1/usage/export/metadata': { status: 200 },
  'get /api/v1/usage/export': { path: '/api/v1/usage/export?format=csv', status: 200 },
  'get /api/v1/org/{orgId}/usage': { path: '/api/v1/org/org_x/usage', status: 404 },
  'get /api/v1/org/{orgId}/analytics': { path: '/api/v1/org/org_x/analytics', status: 404 },
  'post /api/v1/budgets': { body: {}, status: 400 },
  'post /api/v1/budgets/preview': { body: {}, status: 400 },
  'get /api/v1/budgets': { status: 200 },
  'get /api/v1/budgets/{id}': { path: '/api/v1/budgets/bud_x', status: 404 },
  'patch /api/v1/budgets/{id}': { path: '/api/v1/budgets/bud_x', body: { name: 'x' }, status: 404 },
  'delete /api/v1/budgets/{id}': { path: '/api/v1/budgets/bud_x', status: 404 },
  'get /api/v1/anomalies': { status: 200 },
  'post /mcp': { body: { jsonrpc: '2.0', id: 1, method: 'ping' }, status: 200 },
  'get /.well-known/oauth-protected-resource': { status: 200 },
  'get /.well-known/oauth-protected-resource/mcp': { status: 200 },
  'post /api/v1/webhooks': { body: {}, status: 400 },
  'get /api/v1/webhooks': { status: 200 },
  'post /api/v1/webhooks/test': { body: {}, status: 404 },
  'post /api/v1/webhooks/preview': { body: { format: 'slack', type: 'digest' }, status: 200 },
  'get /v1/unsubscribe/{token}': { path: '/v1/unsubscribe/x.y', status: 404 },
  'post /v1/unsubscribe/{token}': { path: '/v1/unsubscribe/x.y', status: 404 },
  'get /api/v1/webhooks/{id}': { path: '/api/v1/webhooks/whk_x', status: 404 },
  'patch /api/v1/webhooks/{id}': { path: '/api/v1/webhooks/whk_x', body: { enabled: true }, status: 404 },
  'delete /api/v1/webhooks/{id}': { path: '/api/v1/webhooks/whk_x', status: 404 },
  'get /api/v1/webhooks/{id}/deliveries': { path: '/api/v1/webhooks/whk_x/deliveries', status: 404 },
  'get /api/v1/webhooks/{id}/deliveries/{delivery_id}': {
    path: '/api/v1/webhooks/whk_x/deliveries/dlv_x',
    status: 404,
  },
  'post /api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver': {
    path: '/api/v1/webhooks/whk_x/deliveries/dlv_x/redeliver',
    status: 404,
  },
  'post /api/v1/webhooks/{id}/recover': { path: '/api/v1/webhooks/whk_x/recover', body: {}, status: 400 },
  'get /api/v1/budgets/{id}/events': { path: '/api/v1/budgets/bud_x/events', status: 404 },
  'get /api/v1/budgets/{id}/windows': { path: '/api/v1/budgets/bud_x/windows', status: 404 },
  'get /api/v1/budgets/{id}/people': { path: '/api/v1/budgets/bud_x/people', status: 404 },
  'put /api/v1/budgets/{id}/people/{user_id}': {
    path: '/api/v1/budgets/bud_x/people/ada',
    body: { exempt: true },
    status: 404,
  },
  'delete /api/v1/budgets/{id}/people/{user_id}': { path: '/api/v1/budgets/bud_x/people/ada', status: 404 },
  'get /api/v1/budgets/{id}/usage': { path: '/api/v1/budgets/bud_x/usage', status: 404 },
  'post /api/v1/budgets/check': { body: {}, status: 200 },
  'post /api/v1/budgets/reserve': { body: {}, status: 400 },
  'post /api/v1/budgets/release': { body: { reservation_id: 'res_x' }, status: 204 },
  'get /api/v1/me/budget': { status: 200 },
  'post /hooks/claude-code': { body: { hook_event_name: 'Stop' }, status: 200 },
  'any /gate': { status: 200 },
  'post /v1/device_authorization/lookup': { body: {}, status: 400 },
  'post /v1/device_authorization/deny': { body: {}, status: 400 },
  'get /v1/members': { status: 200 },
  'post /v1/members': { body: {}, status: 400 },
  'post /v1/invitations': { body: {}, status: 400 },
  'patch /v1/members/{user_id}': { path: '/v1/members/usr_x', body: { name: 'x' }, status: 404 },
  'delete /v1/members/{user_id}': { path: '/v1/members/usr_x', status: 404 },
  'get /v1/preferences': { status: 200 },
  'patch /v1/preferences': { body: {}, status: 400 },
  'post /v1/preferences/digest': { status: 409 },
  'post /v1/budgets/{id}/release-reservations': {
    path: '/v1/budgets/bud_x/release-reservations',
    body: {},
    status: 404,
  },
  'get /v1/keys': { status: 200 },
  'post /v1/keys': { body: {}, status: 400 },
  'post /v1/keys/{id}/rotate': { path: '/v1/keys/key_x/rotate', body: {}, status: 404 },
  'delete /v1/keys/{id}': { path: '/v1/keys/key_x', status: 404 },
  'get /v1/organization': { status: 200 },
  'patch /v1/organization': { body: {}, status: 400 },
  'post /api/v1/price-rules': { body: {}, status: 400 },
  'get /api/v1/price-rules': { status: 200 },
  'get /api/v1/price-rules/{id}': { path: '/api/v1/price-rules/prl_x', status: 404 },
  'patch /api/v1/price-rules/{id}': { path: '/api/v1/price-rules/prl_x', body: { name: 'x' }, status: 404 },
  'delete /api/v1/price-rules/{id}': { path: '/api/v1/price-rules/prl_x', status: 404 },
  'post /api/v1/prices/quote': { body: {}, status: 200 },
  'post /api/v1/repricings': { body: {}, status: 400 },
  'get /api/v1/repricings/{id}': { path: '/api/v1/repricings/rpc_x', status: 404 },
  'post /api/v1/repricings/{id}/apply': { path: '/api/v1/repricings/rpc_x/apply', status: 404 },
  'delete /api/v1/repricings/{id}': { path: '/api/v1/repricings/rpc_x', status: 404 },
  'post /api/v1/destinations': { body: {}, status: 400 },
  'get /api/v1/destinations': { status: 200 },
  'get /api/v1/destinations/{id}': { path: '/api/v1/destinations/dst_x', status: 404 },
  'patch /api/v1/destinations/{id}': { path: '/api/v1/destinations/dst_x', body: {}, status: 404 },
  'delete /api/v1/destinations/{id}': { path: '/api/v1/destinations/dst_x', status: 404 },
  'post /api/v1/destinations/{id}/test': { path: '/api/v1/destinations/dst_x/test', status: 404 },
  'post /api/v1/destinations/{id}/runs': { path: '/api/v1/destinations/dst_x/runs', body: {}, status: 404 },
  'get /api/v1/destinations/{id}/runs': { path: '/api/v1/destinations/dst_x/runs', status: 404 },
  'get /api/v1/destinations/{id}/runs/{run_id}': {
    path: '/api/v1/destinations/dst_x/runs/run_x',
    status: 404,
  },
  'get /api/v1/destinations/{id}/partitions': { path: '/api/v1/destinations/dst_x/partitions', status: 404 },
  'post /v1/code-hosts': { body: {}, status: 400 },
  'get /v1/code-hosts': { status: 200 },
  'delete /v1/code-hosts/{id}': { path: '/v1/code-hosts/src_x', status: 404 },
  'delete /v1/pull-requests/{id}': { path: '/v1/pull-requests/pr_x', status: 404 },
  'post /integrations/code-hosts/{id}': { path: '/integrations/code-hosts/src_x', body: {}, status: 400 },
  'get /v1/audit': { status: 200 },
  'get /v1/audit/export': { status: 200 },
  'post /v1/webhooks/{id}/enable': { path: '/v1/webhooks/whk_x/enable', status: 404 },
  'get /healthz': { status: 200 },
  'get /readyz': { status: 200 },
  'get /metrics': { status: 200 },
};

const KINDS = [
  'none',
  'garbage',
  'unknown API key',
  'API key',
  'API key without the scope',
  'device token',
  'unknown device token',
  'session',
  'foreign session',
  'operator token',
] as const;
type Kind = (typeof KINDS)[number];

const routes = table({ stopping: false });
const nameOf = (route: AnyRoute) => `${route.method} ${route.path}`;

const { idp, api } = await fixture({ idp: true });
const credentials = new Map<Kind, string>();
let orgId: string;

beforeAll(async () => {
  const person = await makePerson(api.ctx, idp, { role: 'admin' });
  orgId = person.orgId;
  const { access_token } = await linkDevice(api, person);
  const { key } = await createApiKey(api.ctx, { org_id: orgId, scopes: [...SCOPES] });
  credentials.set('garbage', 'garbage');
  credentials.set('unknown API key', mintCredential('ugk').token);
  credentials.set('API key', key);
  credentials.set('device token', access_token);
  credentials.set('unknown device token', mintDeviceToken(person.accountId).token);
  credentials.set('session', person.session);
  credentials.set('foreign session', await idp.mint('nobody'));
  credentials.set('operator token', api.ctx.config.operatorToken);
});

/** The only kinds that a route lets in, by its `auth`. */
const ADMITTED: Record<AnyRoute['auth']['kind'], readonly Kind[]> = {
  none: KINDS,
  'api-key': ['API key'],
  // The spend's script decides about a well-formed token: see the tests of consume.
  device: ['device token', 'unknown device token'],
  idp: ['session'],
  operator: ['operator token'],
  agent: ['API key', 'API key without the scope'],
};

function expectedStatus(route: AnyRoute, kind: Kind): number {
  if (ADMITTED[route.auth.kind].includes(kind)) return ROWS[nameOf(route)]?.status ?? Number.NaN;
  if (route.auth.kind !== 'api-key' || kind !== 'API key without the scope') return 401;
  return route.auth.scope === undefined ? (ROWS[nameOf(route)]?.status ?? Number.NaN) : 403;
}

async function credentialOf(route: AnyRoute, kind: Kind): Promise<string | undefined> {
  if (kind !== 'API key without the scope') return credentials.get(kind);
  const needed = route.auth.kind === 'api-key' ? route.auth.scope : null;
  // No key for all users holds both `budgets:…` without `usage:read`.
  const scopes = SCOPES.filter(
    (scope) => scope !== needed && !(needed === 'usage:read' && scope === 'budgets:check'),
  );
  return (await createApiKey(api.ctx, { org_id: orgId, scopes })).key;
}

test('every route has a row here, and every row a route', () => {
  expect(Object.keys(ROWS).toSorted()).toEqual(routes.map(nameOf).toSorted());
});

describe.each(routes.map((route) => [nameOf(route), route] as const))('%s', (name, route) => {
  test.each(KINDS)('%s', async (kind) => {
    const row = ROWS[name];
    const key = await credentialOf(route, kind);
    const answer = await api.call(row?.path ?? route.path, {
      method: route.method === 'any' ? 'GET' : route.method.toUpperCase(),
      ...(key === undefined ? {} : { key }),
      ...(row?.body === undefined ? {} : { body: row.body }),
    });
    expect(answer.status, answer.text).toBe(expectedStatus(route, kind));
    if (answer.status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });
});
