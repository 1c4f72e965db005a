import { expect, test } from 'vitest';
import { auditRows } from '../../../shared/core/accounts/audit/model.ts';
import { codeHostRows } from '../../../shared/wings/work/code-hosts/model.ts';
import { payloadOf, proofOf } from '../../support/code-hosts.ts';
import { commandLine } from '../../support/command-line.ts';
import { fixture } from '../../support/fixture.ts';
import { startApi } from '../../support/harness.ts';

const OLD = `old:${Buffer.alloc(32, 1).toString('base64')}`;
const FRESH = `fresh:${Buffer.alloc(32, 2).toString('base64')}`;

const { api, ctx, env, tenant } = await fixture({ env: { WEBHOOK_SECRET_KEYS: OLD } });
const governorWith = (keys: string) => commandLine({ ...env, WEBHOOK_SECRET_KEYS: keys }).governor;

test('code-host create, list and delete do as the api does, in the audit log as the operator', async () => {
  const { orgId } = await tenant();
  const governor = governorWith(OLD);
  const created = await governor('code-host', 'create', orgId, '--provider', 'github', '--name', 'Acme');
  const { secret, ...shown } = created as Record<string, string>;
  expect(secret).toMatch(/^[\w-]{43}$/);
  const body = JSON.stringify(payloadOf('github'));
  const path = new URL(shown.url ?? '').pathname;
  const answer = await api.call(path, { body, headers: proofOf('github', secret ?? '', body) });
  expect(answer.body).toEqual({ outcome: 'applied' });
  const listed = { ...shown, made_by: 'operator', last_event_at: expect.any(Number) };
  expect(await governor('code-host', 'list', orgId)).toEqual({ code_hosts: [listed] });
  expect(await governor('code-host', 'delete', orgId, shown.id ?? '')).toEqual({
    id: shown.id,
    deleted: true,
  });
  expect(await governor('code-host', 'list', orgId)).toEqual({ code_hosts: [] });
  const lines = await auditRows(ctx)
    .find({ org_id: orgId, action: /^code_host\./ })
    .toArray();
  expect(lines.map(({ action, actor }) => [action, actor])).toEqual([
    ['code_host.create', 'cli'],
    ['code_host.delete', 'cli'],
  ]);
});

test('webhook-secrets rotate encrypts the secrets of code hosts too: their events go on, and the old key may go', async () => {
  const { orgId } = await tenant();
  const created = await governorWith(OLD)('code-host', 'create', orgId, '--provider', 'bitbucket');
  const { id = '', url = '', secret = '' } = created as Record<string, string>;
  expect(await governorWith(`${FRESH},${OLD}`)('webhook-secrets', 'rotate')).toEqual({
    encrypted: 1,
    current: 0,
  });
  const row = await codeHostRows(ctx).findOne({ _id: id });
  expect(row?.secret).toMatch(/^v1\.fresh\./);
  const after = await startApi({ ctx: { ...ctx, config: { ...ctx.config, webhookSecretKeys: FRESH } } });
  const body = JSON.stringify(payloadOf('bitbucket'));
  const answer = await after.call(new URL(url).pathname, {
    body,
    headers: proofOf('bitbucket', secret, body),
  });
  expect(answer.body).toEqual({ outcome: 'applied' });
  await after.close();
});
