import { describe, expect, it } from 'vitest';
import { auditRows } from '../../../shared/core/accounts/audit/model.ts';
import { actingAs } from '../../../shared/core/accounts/audit/record-audit.ts';
import { createApiKey } from '../../../shared/core/accounts/keys/api-keys.ts';
import { memberRows } from '../../../shared/core/accounts/organizations/model.ts';
import { commandLine } from '../../support/command-line.ts';
import { fixture } from '../../support/fixture.ts';

const { api, env, tenant } = await fixture();
const { run, governor, failure } = commandLine(env);

describe('the command line', () => {
  it('sets up an organization whose key works until it is revoked, and is never in the audit log', async () => {
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
    expect(audit.length).toBeGreaterThan(4);
    expect(JSON.stringify(audit)).not.toContain(String(made.key));
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

  it.each([
    ['remove', 'keep', 200],
    ['remove', 'revoke', 401],
    ['erase', 'keep', 200],
    ['erase', 'revoke', 401],
  ])('member %s --made %s decides about the keys that the person made', async (verb, made, status) => {
    const { orgId, member } = await tenant();
    const { _id } = await member('ada');
    const input = { org_id: orgId, scopes: ['usage:read' as const] };
    const { key } = await actingAs(_id, () => createApiKey(api.ctx, input));
    await governor('member', verb, orgId, 'ada', '--made', made);
    expect((await api.call('/api/v1/sessions', { key })).status).toBe(status);
  });

  it('says that it looked for a running scripts/up, and what it needs without one', async () => {
    const { stderr } = await commandLine({}).failure('--data', '/nowhere', 'org', 'show', 'org_x');
    expect(stderr).toContain('scripts/up does not run on /nowhere (--data).');
    expect(stderr).toContain('MONGODB_URL: is missing');
  });

  it('shows what a tenant calls itself, and obeys none of it', async () => {
    const { org_id } = await governor('org', 'create', 'ev\u001b]0;il\u009b2J');
    const { stdout } = await run('org', 'show', String(org_id));
    expect(stdout).toContain('name: ev\\u001b]0;il\\u009b2J\n');
  });
});
