import { expect, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { startApi } from '../support/harness.ts';
import { approve, makePerson, type Person, poll, startLink } from '../support/people.ts';

const { idp, clock, api } = await fixture({ clock: true, idp: true });

const ask = (person: Person, what: 'lookup' | 'deny', user_code: string) =>
  api.call(`/v1/device_authorization/${what}`, { key: person.session, body: { user_code } });

test('a look-up says what the device calls itself and when it asked, and changes nothing', async () => {
  const person = await makePerson(api.ctx, idp);
  const codes = await startLink(api, { name: 'Laptop' });
  const { status, body } = await ask(person, 'lookup', codes.user_code.toLowerCase());
  expect([status, body]).toEqual([200, { name: 'Laptop', created_at: Math.floor(clock.now() / 1_000) }]);
  expect((await approve(api, person, codes.user_code)).status).toBe(204);
  expect((await ask(person, 'lookup', codes.user_code)).body.code).toBe('invalid_grant');
});

test('a denied device is told so with its next poll, and nobody can approve it any more', async () => {
  const person = await makePerson(api.ctx, idp);
  const codes = await startLink(api);
  expect((await ask(person, 'deny', codes.user_code)).status).toBe(204);
  expect((await poll(api, codes.device_code)).body.error).toBe('access_denied');
  expect((await approve(api, person, codes.user_code)).body.code).toBe('invalid_grant');
  expect((await ask(person, 'deny', codes.user_code)).body.code).toBe('invalid_grant');
});

test('wrong codes of looking up, denying and approving count together', async () => {
  // Another process: the wrong codes of the tests before are not its own.
  const other = await startApi({ clock, env: idp.env });
  const person = await makePerson(other.ctx, idp);
  const codes = await startLink(other);
  const answer = async (what: string, user_code: string) => {
    const path = `/v1/device_authorization/${what}`;
    return (await other.call(path, { key: person.session, body: { user_code } })).status;
  };
  for (const what of ['lookup', 'deny', 'lookup', 'deny', 'approve'])
    expect(await answer(what, 'BBBB-BBBB')).toBe(400);
  expect(await answer('lookup', codes.user_code)).toBe(429);
  await other.close();
});
