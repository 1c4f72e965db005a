import { beforeAll, describe, expect, test } from 'vitest';
import type { AnyRoute } from '../../api/basics/route.ts';
import { routes as table } from '../../api/routes/index.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { mintCredential, mintDeviceToken } from '../../shared/core/accounts/keys/credential.ts';
import { SCOPES } from '../../shared/platform/basics/contract.ts';
import { fixture } from '../support/fixture.ts';
import { linkDevice } from '../support/people.ts';

/**
 * The answers to a caller who may call, where these are not the usual ones: a 404 to ids that nobody has, else a 200 to a GET and
 * a 400 to an empty body. A new route is asked by every kind of credential at once: its `auth` decides which may call.
 */
const ROWS: Record<string, [status: number, body?: unknown, query?: string]> = {
  'post /api/v1/signals': [200, { signals: [{}] }],
  'post /api/v1/contexts': [200, { contexts: [{}] }],
  'post /otlp/v1/logs': [200],
  'post /otlp/v1/traces': [200],
  'post /otlp/v1/metrics': [200],
  'post /api/v1/held-signals/release': [200, { ids: ['hld_x'] }],
  'post /api/v1/held-signals/discard': [200, { ids: ['hld_x'] }],
  'post /api/v1/raises': [403, { budget_id: 'bud_x', amount: 1 }],
  'post /api/v1/raises/{id}/withdraw': [403],
  'post /v1/raises': [404, { budget_id: 'bud_x', amount: 1 }],
  'post /v1/anomalies/{id}/expect': [404, { of: 'person', until: '2099-01-01T00:00:00Z' }],
  'post /api/v1/sessions/{id}/void': [404, { signal_ids: ['x'], reason: 'wrong' }],
  'post /v1/credits/checkout': [503, { credits: 100 }],
  'get /v1/credits/checkout/{id}': [200],
  'post /integrations/stripe/webhook': [503],
  'post /v1/devices/revoke': [404, { device_id: 'dev_x' }],
  'post /v1/device_authorization': [200],
  'get /api/v1/search': [200, undefined, '?q=ada'],
  'patch /api/v1/budgets/{id}': [404, { name: 'x' }],
  'post /mcp': [200, { jsonrpc: '2.0', id: 1, method: 'ping' }],
  'post /api/v1/webhooks/test': [404],
  'post /api/v1/webhooks/preview': [200, { format: 'slack', type: 'digest' }],
  'patch /api/v1/webhooks/{id}': [404, { enabled: true }],
  'post /api/v1/webhooks/{id}/recover': [400],
  'put /api/v1/budgets/{id}/people/{user_id}': [404, { exempt: true }],
  'post /api/v1/budgets/check': [200],
  'post /api/v1/budgets/release': [204, { reservation_id: 'res_x' }],
  'post /hooks/claude-code': [200, { hook_event_name: 'Stop' }],
  'patch /v1/members/{user_id}': [404, { name: 'x' }],
  'post /v1/preferences/digest': [409],
  'patch /api/v1/price-rules/{id}': [404, { name: 'x' }],
  'post /api/v1/prices/quote': [200],
  'post /integrations/code-hosts/{id}': [400],
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
  'session of a member',
  'foreign session',
  'operator token',
] as const;
type Kind = (typeof KINDS)[number];

const routes = table({ stopping: false });
const nameOf = (route: AnyRoute) => `${route.method} ${route.path}`;

const { idp, api, key, orgId, admin, person } = await fixture({ idp: true, admin: true });
const credentials = new Map<Kind, string>();

beforeAll(async () => {
  const { access_token } = await linkDevice(api, admin);
  credentials.set('garbage', 'garbage');
  credentials.set('unknown API key', mintCredential('ugk').token);
  credentials.set('API key', key);
  credentials.set('device token', access_token);
  credentials.set('unknown device token', mintDeviceToken(admin.accountId).token);
  credentials.set('session', admin.session);
  credentials.set('session of a member', (await person()).session);
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

/** The routes of persons that one may call who is no admin; the others are for admins alone. */
const OF_MEMBERS = [
  '/v1/credits/checkout',
  '/v1/credits/checkout/{id}',
  '/v1/credits/price',
  '/v1/org/{orgId}/balances',
  '/v1/balance',
  '/v1/ledger',
  '/v1/preferences',
  '/v1/preferences/digest',
  '/v1/devices',
  '/v1/devices/revoke',
  ...['approve', 'lookup', 'deny'].map((act) => `/v1/device_authorization/${act}`),
  '/v1/raises',
  '/v1/raises/{id}',
  '/v1/raises/{id}/withdraw',
  '/v1/keys',
  '/v1/keys/{id}',
  '/v1/keys/{id}/rotate',
];

const names = ({ path }: AnyRoute) => path.includes('{');

function expectedStatus(route: AnyRoute, kind: Kind): number {
  const usual = route.method === 'get' || route.method === 'any' ? 200 : 400;
  const status = ROWS[nameOf(route)]?.[0] ?? (names(route) ? 404 : usual);
  if (kind === 'session of a member' && route.auth.kind === 'idp')
    return OF_MEMBERS.includes(route.path) ? status : 403;
  if (ADMITTED[route.auth.kind].includes(kind)) return status;
  if (route.auth.kind !== 'api-key' || kind !== 'API key without the scope') return 401;
  return route.auth.scope === undefined ? status : 403;
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

test('every row has a route', () => {
  const known = routes.map(nameOf);
  expect(Object.keys(ROWS).filter((name) => !known.includes(name))).toEqual([]);
});

describe.each(routes.map((route) => [nameOf(route), route] as const))('%s', (name, route) => {
  const [, body = ['post', 'put', 'patch'].includes(route.method) ? {} : undefined, query = ''] =
    ROWS[name] ?? [];
  test.each(KINDS)('lets in its own credentials alone: %s', async (kind) => {
    const key = await credentialOf(route, kind);
    const answer = await api.call(route.path.replaceAll(/\{\w+\}/g, 'none') + query, {
      method: route.method === 'any' ? 'GET' : route.method.toUpperCase(),
      ...(key === undefined ? {} : { key }),
      body,
    });
    expect(answer.status, answer.text).toBe(expectedStatus(route, kind));
    if (answer.status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });
});
