import { expect, test } from 'vitest';
import { payloadOf, proofOf } from '../../support/code-hosts.ts';
import { commandLine } from '../../support/command-line.ts';
import { fixture } from '../../support/fixture.ts';

const { api, env, orgId } = await fixture();
const { governor } = commandLine(env);

test('code-host create gives an address and a secret that work', async () => {
  const { secret, url } = await governor('code-host', 'create', orgId, '--provider', 'github');
  const body = JSON.stringify(payloadOf('github'));
  const answer = await api.call(new URL(url).pathname, { body, headers: proofOf('github', secret, body) });
  expect(answer.body).toEqual({ outcome: 'applied' });
});
