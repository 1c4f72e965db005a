import type { Fault } from '../fault.ts';

const KEYS = ['test/abuse/keys.test.ts', 'test/api/credentials.test.ts', 'test/shared/keys'];
const PEOPLE = ['test/shared/identity', 'test/abuse/identity.test.ts'];

export const AUTH_FAULTS: readonly Fault[] = [
  {
    what: 'the secret of an API key is not compared',
    file: 'shared/keys/api-keys.ts',
    text: '!sameHash(hmac, key.hmac) ||',
    replacement: '',
    tests: KEYS,
  },
  {
    what: 'a revoked key works',
    file: 'shared/keys/api-keys.ts',
    text: 'return !key.revoked_at && (',
    replacement: 'return (',
    tests: KEYS,
  },
  {
    what: 'an expired key works',
    file: 'shared/keys/api-keys.ts',
    text: 'end.getTime() > nowMs);',
    replacement: 'nowMs > 0);',
    tests: KEYS,
  },
  {
    what: 'a scope is not asked for',
    file: 'api/auth/authenticate.ts',
    text: 'if (principal.scopes.includes(auth.scope)) return;',
    replacement: 'if (principal.scopes.length > 0) return;',
    tests: [...KEYS, 'test/abuse/scopes.test.ts'],
  },
  {
    what: 'the checksum of a credential is not looked at',
    file: 'shared/keys/credential.ts',
    text: 'if (checksum(body) !== token.slice(-CHECKSUM_LENGTH)) return null;',
    replacement: '',
    tests: KEYS,
  },
  {
    what: 'hashes of one length are equal',
    file: 'shared/keys/credential.ts',
    text: 'return left.length === right.length && timingSafeEqual(left, right);',
    replacement: 'return left.length === right.length;',
    tests: KEYS,
  },
  {
    what: 'the keys of a member who leaves go on',
    file: 'shared/keys/api-keys.ts',
    text: 'await apiKeyRows(ctx).updateMany(bound, { $set: change }, { session: transaction });',
    replacement: '',
    tests: [...KEYS, 'test/abuse/scopes.test.ts', 'test/scripts/governor', 'test/api/operations.test.ts'],
  },
  {
    what: 'a token for another audience is taken',
    file: 'shared/identity/verify-access-token.ts',
    text: 'audience: oidcAudience,\n',
    replacement: '',
    tests: PEOPLE,
  },
  {
    what: 'an ID token passes for an access token',
    file: 'shared/identity/verify-access-token.ts',
    text: 'typ: oidcTokenType,\n',
    replacement: '',
    tests: PEOPLE,
  },
  {
    what: 'a token of another issuer is taken',
    file: 'shared/identity/verify-access-token.ts',
    text: 'issuer: oidcIssuer,\n',
    replacement: '',
    tests: PEOPLE,
  },
  {
    what: 'a token without an end is taken',
    file: 'shared/identity/verify-access-token.ts',
    text: "requiredClaims: ['exp', 'sub'],",
    replacement: "requiredClaims: ['sub'],",
    tests: PEOPLE,
  },
  {
    what: 'an old token is taken',
    file: 'shared/identity/verify-access-token.ts',
    text: 'maxTokenAge: oidcMaxTokenAgeS,\n',
    replacement: '',
    tests: PEOPLE,
  },
  {
    what: 'a public key can sign as a shared secret',
    file: 'shared/identity/verify-access-token.ts',
    text: "const ALGORITHMS = ['RS256',",
    replacement: "const ALGORITHMS = ['HS256', 'RS256',",
    tests: PEOPLE,
    equivalent: 'jose takes no symmetric algorithm with a set of keys (RFC 7517)',
  },
  {
    what: 'what a member makes does not meet its removal',
    file: 'shared/organizations/roster.ts',
    text: 'const { matchedCount } = await memberRows(ctx).updateOne(\n    { ...member, removed_at: null },\n    { $inc: { touches: 1 } },\n    { session: transaction },\n  );\n  return matchedCount > 0;',
    replacement:
      'return (await memberRows(ctx).findOne({ ...member, removed_at: null }, { session: transaction })) !== null;',
    tests: ['test/api/members-and-keys.test.ts', 'test/abuse/identity.test.ts'],
  },
  {
    what: 'a member gets by rotating what only an admin gives',
    file: 'shared/keys/manage-keys.ts',
    text: 'refuseMoreThanOwn(manager, await getKey(ctx, manager, keyId));',
    replacement: 'await getKey(ctx, manager, keyId);',
    tests: ['test/api/members-and-keys.test.ts'],
  },
  {
    what: 'a key that is rotated within its grace makes one that ends with the grace',
    file: 'shared/keys/api-keys.ts',
    text: 'const change = { retires_at: new Date(retiresMs) };',
    replacement: 'const change = { expires_at: new Date(retiresMs) };',
    tests: ['test/api/members-and-keys.test.ts'],
  },
  {
    what: 'every proxy is believed',
    file: 'api/app.ts',
    text: "app.set('trust proxy', ctx.config.trustProxyHops);",
    replacement: "app.set('trust proxy', true);",
    tests: [
      'test/abuse/http.test.ts',
      ...KEYS,
      'test/abuse/identity.test.ts',
      'test/abuse/availability.test.ts',
    ],
  },
];
