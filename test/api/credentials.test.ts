import { beforeAll, describe, expect, test } from 'vitest';
import type { AnyRoute } from '../../api/basics/route.ts';
import { routes as table } from '../../api/routes/index.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { mintCredential, mintDeviceToken } from '../../shared/core/accounts/keys/credential.ts';
import { SCOPES } from '../../shared/platform/basics/contract.ts';
import { fixture } from '../support/fixture.ts';
import { linkDevice } from '../support/people.ts';

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

/** The status of a caller who is not let in; null for one who is. */
function refusalOf(route: AnyRoute, kind: Kind): number | null {
  const { path, auth } = route;
  if (kind === 'session of a member' && auth.kind === 'idp') return OF_MEMBERS.includes(path) ? null : 403;
  if (ADMITTED[auth.kind].includes(kind)) return nameOf(route) in OF_PERSONS ? 403 : null;
  if (auth.kind !== 'api-key' || kind !== 'API key without the scope') return 401;
  return auth.scope === undefined ? null : 403;
}

/** Bodies of requests that a key may not send which is bound to nobody: a raise is for a person. */
const OF_PERSONS: Readonly<Record<string, object>> = {
  'post /api/v1/raises': { budget_id: 'bud_x', amount: 1 },
  'post /api/v1/raises/{id}/withdraw': {},
};

async function credentialOf(route: AnyRoute, kind: Kind): Promise<string | undefined> {
  if (kind !== 'API key without the scope') return credentials.get(kind);
  const needed = route.auth.kind === 'api-key' ? route.auth.scope : null;
  // No key for all users holds both `budgets:…` without `usage:read`.
  const scopes = SCOPES.filter(
    (scope) => scope !== needed && !(needed === 'usage:read' && scope === 'budgets:check'),
  );
  return (await createApiKey(api.ctx, { org_id: orgId, scopes })).key;
}

describe.each(routes.map((route) => [nameOf(route), route] as const))('%s', (name, route) => {
  const body = OF_PERSONS[name] ?? (['post', 'put', 'patch'].includes(route.method) ? {} : undefined);
  test.each(KINDS)('lets in its own credentials alone: %s', async (kind) => {
    const key = await credentialOf(route, kind);
    const answer = await api.call(route.path.replaceAll(/\{\w+\}/g, 'none'), {
      method: route.method === 'any' ? 'GET' : route.method.toUpperCase(),
      ...(key === undefined ? {} : { key }),
      body,
    });
    const refusal = refusalOf(route, kind);
    if (refusal !== null) expect(answer.status, answer.text).toBe(refusal);
    else expect([401, 403], answer.text).not.toContain(answer.status);
    if (answer.status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });
});
