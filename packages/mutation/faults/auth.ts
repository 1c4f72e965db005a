import { type Fault, faultsIn } from '../fault.ts';

const KEYS = ['test/abuse/keys.test.ts', 'test/api/credentials.test.ts', 'test/shared/core/accounts/keys'];
const REMOVALS = ['test/api/removals.test.ts'];
const PEOPLE = ['test/shared/core/accounts/identity', 'test/abuse/identity.test.ts'];

export const AUTH_FAULTS: readonly Fault[] = [
  ...faultsIn('shared/core/accounts/keys/api-keys.ts', KEYS, [
    {
      what: 'a key that is rotated within its grace makes one that ends with the grace',
      text: 'const change = { retires_at: new Date(retiresMs) };',
      replacement: 'const change = { expires_at: new Date(retiresMs) };',
      tests: ['test/api/members-and-keys.test.ts'],
    },
  ]),
  ...faultsIn('shared/core/accounts/keys/model.ts', KEYS, [
    {
      what: 'an expired key works',
      text: 'end.getTime() > nowMs);',
      replacement: 'nowMs > 0);',
    },
  ]),
  {
    what: 'a scope is not asked for',
    file: 'api/auth/authenticate.ts',
    text: 'if (principal.scopes.includes(auth.scope)) return;',
    replacement: 'if (principal.scopes.length > 0) return;',
    tests: [...KEYS, 'test/abuse/scopes.test.ts'],
  },
  ...faultsIn(
    'shared/people/remove-member.ts',
    [...KEYS, 'test/abuse/scopes.test.ts', 'test/scripts/governor', 'test/api/operations.test.ts'],
    [
      {
        what: 'a removal that is refused has revoked the devices',
        text: 'const accountId = await markRemoved(',
        replacement:
          'const leaving = await memberRows(ctx).findOne({ org_id: orgId, user_id: userId });\n  if (leaving) await revokeDevicesOfRemoved(ctx, leaving._id);\n  const accountId = await markRemoved(',
        tests: REMOVALS,
      },
    ],
  ),
  ...faultsIn('shared/core/accounts/identity/verify-access-token.ts', PEOPLE, [
    {
      what: 'a public key can sign as a shared secret',
      text: "const ALGORITHMS = ['RS256',",
      replacement: "const ALGORITHMS = ['HS256', 'RS256',",
      equivalent: 'jose takes no symmetric algorithm with a set of keys (RFC 7517)',
    },
  ]),
  {
    what: 'what a member makes does not meet its removal',
    file: 'shared/core/accounts/organizations/roster.ts',
    text: 'return updateRow(memberRows, { _id }, { $inc: { touches: 1 } });',
    replacement: 'return updateRow(memberRows, { _id: _id + "!" }, { $inc: { touches: 1 } });',
    tests: ['test/api/members-and-keys.test.ts', 'test/abuse/identity.test.ts'],
  },
  ...faultsIn('shared/core/accounts/keys/confirm-actor.ts', REMOVALS, [
    {
      what: 'an admin who was demoted meanwhile acts as one',
      text: "if (role === 'admin' && member.role !== 'admin')",
      replacement: "if (role === 'admin' && member.removed_at !== null)",
    },
    {
      what: 'what an actor makes does not meet the removal of the actor',
      text: 'writes: [memberTouch(member)] }',
      replacement: 'writes: [] }',
      tests: [...REMOVALS, 'test/api/members-and-keys.test.ts'],
    },
  ]),
  ...faultsIn(
    'shared/core/accounts/devices/redeem-grant.ts',
    ['test/api/devices.test.ts'],
    [
      {
        what: 'a poll that learns nothing of its mark leaves it',
        text: "const back = { status: 'approved',",
        replacement: "const back = { status: 'redeemed',",
      },
    ],
  ),
  {
    what: 'keys of a user are not counted',
    file: 'shared/core/accounts/keys/refuse-key.ts',
    text: 'if (live.filter(isOwn).length >= KEYS_PER_USER)',
    replacement: 'if (live.length < 0)',
    tests: ['test/api/members-and-keys.test.ts'],
  },
  {
    what: 'what arrives late of an erased user keeps its text',
    file: 'shared/core/calls/ingest/plan-batch.ts',
    text: 'erased.has(signal.user_id) ? withoutFreeText(signal) : signal',
    replacement: 'erased.has(signal.user_id) ? signal : signal',
    tests: ['test/scripts/governor/personal-data.test.ts'],
  },
  {
    what: 'nobody is asked about what a leaving person made',
    file: 'shared/people/made-by.ts',
    text: 'if (revokeMade === undefined) throw undecided(made);',
    replacement: 'if (revokeMade === undefined) return NOTHING_MADE;',
    tests: REMOVALS,
  },
  {
    what: 'nobody is asked about the things of wings that a leaving person made',
    file: 'shared/people/made-by.ts',
    text: 'for (const wing of wingsOf(ctx)) Object.assign(kinds, wing.person?.made);',
    replacement: '',
    tests: REMOVALS,
  },
  {
    what: 'a destination stays that of its first maker when another admin names another bucket',
    file: 'shared/wings/push/destinations/update-destination.ts',
    text: 'hasMoved(before, wanted) ? { ...wanted, made_by: maker } : wanted',
    replacement: 'wanted',
    tests: REMOVALS,
  },
  ...faultsIn('shared/people/change-member.ts', REMOVALS, [
    {
      what: 'nobody is asked about what a demoted admin made',
      text: 'const made = isDemoted ?',
      replacement: 'const made = isDemoted && revokeMade !== undefined ?',
    },
  ]),
  {
    what: 'a member gets by rotating what only an admin gives',
    file: 'shared/core/accounts/keys/manage-keys.ts',
    text: 'refuseMoreThanOwn(manager, await getKey(ctx, manager, keyId));',
    replacement: 'await getKey(ctx, manager, keyId);',
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
  {
    what: 'a new identity of a member leaves no line in the audit log',
    file: 'shared/core/accounts/identity/link-identity.ts',
    text: '...memberReplacement({ ...invited, idp }), audit]',
    replacement: '...memberReplacement({ ...invited, idp }), audit].slice(0, -1)',
    tests: ['test/shared/core/accounts/audit/with-its-change.test.ts'],
  },
  {
    what: 'a new organization leaves no line in the audit log',
    file: 'shared/core/accounts/organizations/create-organization.ts',
    text: 'insertRow(organizationRows, organization), audit]',
    replacement: 'insertRow(organizationRows, organization), audit].slice(0, 1)',
    tests: ['test/shared/core/accounts/audit/with-its-change.test.ts'],
  },
  {
    what: 'an Idempotency-Key that has ended is known for ever',
    file: 'shared/core/accounts/idempotency/claim-key.ts',
    text: 'expires_at: { $lte: dateAt(nowMs) } });',
    replacement: 'expires_at: { $lte: dateAt(0 * nowMs) } });',
    tests: ['test/api/idempotency.test.ts'],
  },
  {
    what: 'a retention that fails stops the later ones',
    file: 'shared/core/retention/purge.ts',
    text: 'ctx.log.error({ err: error, kind }, FAILURE);',
    replacement: 'throw error;',
    tests: ['test/shared/core/retention'],
  },
];
