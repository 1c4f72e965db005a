import { expect, test } from 'vitest';
import { payloadOf, proofOf } from '../../support/code-hosts.ts';
import { commandLine } from '../../support/command-line.ts';
import { fixture } from '../../support/fixture.ts';

const { api, audited, env, orgId } = await fixture();
const { governor } = commandLine(env);

test('code-host create, list and delete do as the api does, in the audit log as the operator', async () => {
  const created = await governor('code-host', 'create', orgId, '--provider', 'github', '--name', 'Acme');
  const { secret, ...shown } = created as Record<string, string>;
  expect(secret).toMatch(/^[\w-]{43}$/);
  const body = JSON.stringify(payloadOf('github'));
  const path = new URL(shown.url ?? '').pathname;
  const answer = await api.call(path, { body, headers: proofOf('github', secret ?? '', body) });
  expect(answer.body).toEqual({ outcome: 'applied' });
  const listed = { ...shown, made_by: 'operator', last_event_at: expect.any(Number) };
  expect(await governor('code-host', 'list', orgId)).toEqual({ code_hosts: [listed] });
  const deleted = await governor('code-host', 'delete', orgId, shown.id ?? '');
  expect(deleted).toEqual({ id: shown.id, deleted: true });
  expect(await governor('code-host', 'list', orgId)).toEqual({ code_hosts: [] });
  const lines = await audited(/^code_host\./);
  expect(lines.map(({ action, actor }) => [action, actor])).toEqual([
    ['code_host.create', 'cli'],
    ['code_host.delete', 'cli'],
  ]);
});
