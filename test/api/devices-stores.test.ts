import { expect, test } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { approve, linkDevice, poll, revoke, startLink } from '../support/people.ts';

const { api, redis, person } = await fixture({ idp: true, redis: true });

test('without Redis a device is neither linked nor revoked: 503, and nothing says otherwise afterwards', async () => {
  const ada = await person();
  const { device_id } = await linkDevice(api, ada);
  const { user_code, device_code } = await startLink(api);
  expect((await approve(api, ada, user_code)).status).toBe(204);
  await redis.kill();
  const refused = await revoke(api, ada, device_id);
  expect([refused.status, refused.body.code]).toEqual([503, 'store_unavailable']);
  const token = await poll(api, device_code);
  expect([token.status, token.body.error]).toEqual([503, 'temporarily_unavailable']);
  const { body } = await api.call('/v1/devices', { key: ada.session });
  expect(body.devices).toContainEqual(expect.objectContaining({ device_id, status: 'active' }));
});
