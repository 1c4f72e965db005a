import { expect, test } from 'vitest';
import { payloadOf, proofOf } from '../../support/code-hosts.ts';
import { commandLine } from '../../support/command-line.ts';
import { fixture } from '../../support/fixture.ts';

const { api, audited, env, orgId } = await fixture();
const { governor } = commandLine(env);

test('code-host create gives an address and a secret that work, in the audit log as the operator', async () => {
  const { id, secret, url } = await governor('code-host', 'create', orgId, '--provider', 'github');
  const body = JSON.stringify(payloadOf('github'));
  const answer = await api.call(new URL(url).pathname, { body, headers: proofOf('github', secret, body) });
  expect(answer.body).toEqual({ outcome: 'applied' });
  await governor('code-host', 'delete', orgId, id);
  const lines = await audited(/^code_host\./);
  expect(lines.map(({ action, actor }) => [action, actor])).toEqual([
    ['code_host.create', 'cli'],
    ['code_host.delete', 'cli'],
  ]);
});
