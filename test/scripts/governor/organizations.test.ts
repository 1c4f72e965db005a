import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { auditRows } from '../../../shared/core/accounts/audit/model.ts';
import { actingAs } from '../../../shared/core/accounts/audit/record-audit.ts';
import { createApiKey } from '../../../shared/core/accounts/keys/api-keys.ts';
import { memberRows } from '../../../shared/core/accounts/organizations/model.ts';
import { webhookRows } from '../../../shared/core/events/webhooks/endpoints/model.ts';
import { destinationRows } from '../../../shared/wings/push/destinations/model.ts';
import { addCodeHost } from '../../../shared/wings/work/code-hosts/manage-code-hosts.ts';
import { codeHostRows } from '../../../shared/wings/work/code-hosts/model.ts';
import { commandLine, commandProcess } from '../../support/command-line.ts';
import { makeDestination, newFolder } from '../../support/destinations.ts';
import { fixture } from '../../support/fixture.ts';
import { makeWebhook } from '../../support/webhooks.ts';

const { api, env, orgId: own, tenant } = await fixture({ env: { EXPORT_FOLDER: newFolder() } });
const { run, governor, failure } = commandLine(env);

const TOKYO = expect.objectContaining({ timezone: 'Asia/Tokyo' });
/** Each option of `governor org set`, a value, and what `org show` shows then. */
const SETTINGS: [option: string, value: string, change: object][] = [
  ['--name', 'Other', { name: 'Other' }],
  ['--session-timeout', '600', { session_timeout: 600 }],
  ['--timezone', 'Asia/Tokyo', { timezones: [expect.anything(), TOKYO] }],
  ['--k-anonymity', '9', { k_anonymity: 9 }],
  ['--k-population', 'members', { k_population: 'members' }],
  ['--admin-email', 'a@example.com', { admin_emails: ['a@example.com'], vouched_emails: ['a@example.com'] }],
  ['--hold-tokens', '5000', { hold_above: { tokens: 5_000, cost_usd: 1_000 } }],
  ['--hold-cost', '2.5', { hold_above: { tokens: 5_000, cost_usd: 2.5 } }],
  ['--hash-names', 'on', { hash_names: true }],
  ['--focus-close-day', '9', { focus_close_day: 9 }],
];

describe('the command line', () => {
  it('sets up an organization whose key works, changes it, and writes the audit log', async () => {
    const org = await governor('org', 'create', 'Acme', '--plan', 'team', '--timezone', 'Europe/Berlin');
    const orgId = String(org.org_id);
    expect((await governor('org', 'list')).organizations).toContainEqual(org);
    const asAdmin = '--user-id ada --role admin --team web'.split(' ');
    const member = await governor('member', 'add', orgId, 'ada@example.com', ...asAdmin);
    expect(member).toMatchObject({ user_id: 'ada', role: 'admin' });
    const made = await governor('key', 'create', orgId, '--scope', 'usage:read');
    expect((await api.call('/api/v1/sessions', { key: String(made.key) })).status).toBe(200);
    await governor('org', 'set', orgId, '--session-timeout', '600', '--timezone', 'Asia/Tokyo');
    const plan = await governor('plan', orgId, 'enterprise');
    const own = { session_timeout: 600, teams: ['web'], admin_emails: ['ada@example.com'] };
    expect(plan).toMatchObject({ plan: 'enterprise', ...own });
    await governor('key', 'revoke', String(made.key_id));
    expect((await api.call('/api/v1/sessions', { key: String(made.key) })).status).toBe(401);
    const audit = await auditRows(api.ctx).find({ org_id: orgId }).toArray();
    const actions = ['organization.create', 'member.add', 'key.create', 'organization.change', 'key.revoke'];
    expect(audit.map(({ action }) => action)).toEqual(expect.arrayContaining(actions));
    expect(JSON.stringify(audit)).not.toContain(String(made.key));
  });

  it('changes each setting of an organization by its own option, and no other one', async () => {
    const orgId = String((await governor('org', 'create', 'Settings', '--plan', 'enterprise')).org_id);
    const { stdout } = await run('org', 'set', '--help');
    const options = [...stdout.matchAll(/^ +(--[\w-]+) </gm)].map(([, option]) => option);
    expect(options).toEqual(SETTINGS.map(([option]) => option));
    let before = await governor('org', 'show', orgId);
    // Defaults of what was never set.
    expect(before).toMatchObject({ hold_above: { tokens: 20_000_000, cost_usd: 1_000 }, focus_close_day: 6 });
    for (const [option, value, change] of SETTINGS) {
      const after = await governor('org', 'set', orgId, option, value);
      expect(after, option).not.toEqual(before);
      expect(after, option).toEqual({ ...before, ...change });
      before = after;
    }
  });

  it('keeps a member out of two organizations, and can add one again who was removed', async () => {
    const org = await governor('org', 'create', 'One');
    const orgId = String(org.org_id);
    const idp = ['--idp-issuer', 'https://idp.example', '--idp-subject', `s-${orgId}`];
    await governor('member', 'add', orgId, 'bob@example.com', '--user-id', 'bob', ...idp);
    const other = await governor('org', 'create', 'Two');
    const again = ['member', 'add', String(other.org_id), 'bob@example.com', ...idp];
    expect((await failure(...again)).stderr).toContain('conflict');
    await governor('member', 'remove', orgId, 'bob');
    await governor(...again);
    const rows = await memberRows(api.ctx).find({ org_id: orgId }).toArray();
    expect(rows).toMatchObject([{ user_id: 'bob', email: null, name: null }]);
  });

  it.each(['remove', 'erase'])(
    'member %s leaves all as it is until somebody decides about what the person made, and does that',
    async (verb) => {
      for (const made of ['keep', 'revoke']) {
        const { orgId, member } = await tenant();
        const { _id } = await member('ada', { role: 'admin' });
        const [key, webhook, destination, { host }] = await actingAs(_id, () =>
          Promise.all([
            createApiKey(api.ctx, { org_id: orgId, scopes: ['usage:read'] }),
            makeWebhook(api.ctx, orgId, 'https://example.org/hook'),
            makeDestination(api.ctx, orgId),
            addCodeHost(api.ctx, orgId, { provider: 'github' }),
          ]),
        );
        const inForce = async () => [
          (await api.call('/api/v1/sessions', { key: key.key })).status,
          await webhookRows(api.ctx).countDocuments({ org_id: orgId }),
          await destinationRows(api.ctx).countDocuments({ org_id: orgId }),
          await codeHostRows(api.ctx).countDocuments({ org_id: orgId }),
          await memberRows(api.ctx).countDocuments({ _id, removed_at: null }),
        ];
        const { stderr } = await failure('member', verb, orgId, 'ada');
        for (const words of [
          '--made keep or --made revoke',
          `key ${key.key_id} api key`,
          `webhook ${webhook._id} https://example.org/hook`,
          `destination ${destination._id} Finance`,
          `code host ${host._id} github`,
        ])
          expect(stderr).toContain(words);
        expect(await inForce()).toEqual([200, 1, 1, 1, 1]);
        await governor('member', verb, orgId, 'ada', '--made', made);
        expect(await inForce(), made).toEqual(made === 'keep' ? [200, 1, 1, 1, 0] : [401, 0, 0, 0, 0]);
      }
    },
  );

  it('says that it looked for a running scripts/up, and what it needs without one', async () => {
    const { stderr } = await commandProcess({}).failure('--data', '/nowhere', 'org', 'show', 'org_x');
    expect(stderr).toContain('scripts/up does not run on /nowhere (--data).');
    expect(stderr).toContain('MONGODB_URL: is missing');
  });

  it('creates a key with the scopes that are named, and none without', async () => {
    const org_id = String((await governor('org', 'create', 'Scopes')).org_id);
    const made = await governor('key', 'create', org_id, '--scope', 'usage:read', 'org:read');
    for (const [wrong, fault] of [
      [['create', org_id], '--scope'],
      [['create', org_id, '--scope', 'org:read', '--expires-at', '2020-01-01'], 'in the future'],
      [['rotate', made.key_id, '--grace', '999999999999999'], 'grace_s: '],
    ] as const)
      expect((await failure('key', ...wrong)).stderr).toContain(fault);
    const { keys } = await governor('key', 'list', org_id);
    const key = { key_id: made.key_id, scopes: ['usage:read', 'org:read'], expires_at: null };
    expect(keys).toMatchObject([key]);
  });

  it('replays a trace through the api', async () => {
    const tenant = await governor('org', 'create', 'Trace');
    const key = await governor('key', 'create', String(tenant.org_id), '--scope', 'signals:write');
    const file = join(newFolder(), 'trace.csv');
    const calls = ['2023-11-16 18:17:03.9799600,10,1', '2023-11-16 18:17:04.0319600,20,2'];
    writeFileSync(file, ['TIMESTAMP,ContextTokens,GeneratedTokens', ...calls].join('\n'));
    const to = ['--api', api.url, '--key', String(key.key)];
    const args = ['replay', file, '--format', 'azure-llm', '--users', '1', ...to];
    expect(await governor(...args, '--run-id', 'r1')).toMatchObject({ signals: 2, accepted: 2, rejected: 0 });
    expect(await governor(...args, '--run-id', 'r1')).toMatchObject({ accepted: 0, duplicates: 2 });
  });

  it('shows what a tenant calls itself, and obeys none of it', async () => {
    const { org_id } = await governor('org', 'create', 'ev\u001b]0;il\u009b2J');
    const { stdout } = await run('org', 'show', String(org_id));
    expect(stdout).toContain('name: ev\\u001b]0;il\\u009b2J\n');
  });

  const OTHER = 'https://idp.example';
  it.each([
    ['org create', [''], 'name: must not be empty'],
    ['org create', ['x', '--plan', 'gold'], 'gold'],
    ['org create', ['x', '--timezone', 'Mars/Olympus'], 'IANA'],
    ['org show', ['org_nobody'], 'There is no such organization. (not_found)'],
    ['org set', ['ORG'], 'must change something'],
    ['org set', ['org_nobody', '--session-timeout', '5'], 'session_timeout: must be at least 60.'],
    ['org set', ['ORG', '--k-population', 'ghosts'], 'reported, members'],
    ['org set', ['ORG', '--admin-email', 'ada'], 'admin_emails.0: must be an e-mail address'],
    ['member add', ['ORG', 'ada'], 'email: must be an e-mail address'],
    ['member add', ['ORG', 'ada@example.com', '--user-id', ''], 'user_id: must not be empty'],
    ['member add', ['ORG', 'ada@example.com', '--idp-subject', 's'], '--idp-issuer must be a URL'],
    [
      'member identity',
      ['ORG', 'ada', '--idp-issuer', OTHER, '--idp-subject', ''],
      '--idp-subject must not be',
    ],
    ['member teams', ['ORG', 'ada', ''], 'teams.0: must not be empty'],
    ['key create', ['ORG', '--scope', 'org:read', '--user-id', ''], 'user_id: must not be empty'],
    [
      'key create',
      ['ORG', '--scope', 'org:read', '--expires-at', '5'],
      'It must be an ISO 8601 date or time.',
    ],
    ['member list', ['org_nobody'], 'There is no such organization.'],
    ['key list', ['org_nobody'], 'There is no such organization.'],
    ['webhook list', ['--org', 'org_nobody'], 'There is no such organization.'],
    ['credits grant', ['ORG', 'ada', '5', '--key', ''], 'It must be 1 to 128 printable ASCII characters'],
    ['usage reconcile', ['--from', '2026-02-31'], 'It must be a date such as'],
    ['usage reconcile', ['org_nobody'], 'not_found'],
    ['verify', ['package.json', '--jwks', 'README.md'], 'README.md is no JSON Web Key Set.'],
    ['verify', ['package.json', '--jwks', 'http://127.0.0.1:1/'], 'governor: bad port'],
    ['connect', ['cursor'], 'claude-code, codex'],
    ['connect', ['otel', '--api', 'governor.example'], 'It must be like https://governor.example.com.'],
    // As a shell gives a variable that is not set.
    ['connect', ['otel', '--api', 'https://governor.example', '--user-id', ''], 'user_id: must not be empty'],
  ])('%s %j is refused as the api would, in words', async (command, args, told) => {
    const named = args.map((arg) => (arg === 'ORG' ? own : arg));
    const { stderr } = await failure(...command.split(' '), ...named);
    expect(stderr).toContain(told);
  });
});
