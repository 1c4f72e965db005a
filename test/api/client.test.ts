import { randomUUID } from 'node:crypto';
import createClient from 'openapi-fetch';
import { expect, it } from 'vitest';
import type { paths } from '../../api/docs/client.d.ts';
import { sha256 } from '../support/credits.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { linkDevice } from '../support/people.ts';

const { api, key, orgId, person: join } = await fixture({ idp: true });

const clientWith = (token: string) =>
  createClient<paths>({ baseUrl: api.url, headers: { Authorization: `Bearer ${token}` } });

it('a client that is generated from the document records, reads and bills', async () => {
  const client = clientWith(key);
  const own = await client.GET('/api/v1/organization');
  expect(own.data).toMatchObject({ id: orgId, plan: 'team', key: { user_id: null } });

  const signal = {
    id: 'call-1',
    ts: new Date().toISOString(),
    user_id: 'ada',
    adapter: 'my-agent',
    model: 'gpt-4o-mini',
    tokens_in: 100,
    tokens_out: 10,
  };
  const posted = await client.POST('/api/v1/signals', { body: { signals: [signal] } });
  const [result] = posted.data?.results ?? [];
  if (result?.status !== 'accepted') throw new Error(JSON.stringify(posted));
  const session = await client.GET('/api/v1/sessions/{id}', { params: { path: { id: result.session_id } } });
  expect(session.data?.signals.map(({ tokens_in }) => tokens_in)).toEqual([100]);
  const list = await client.GET('/api/v1/sessions', { params: { query: { user_id: 'ada', limit: 5 } } });
  expect(list.data?.total).toBe(1);
  const query = { interval: 'day', group_by: 'model' } as const;
  const usage = await client.GET('/api/v1/usage', { params: { query } });
  expect(usage.data?.totals.tokens_in).toBe(100);

  const params = { header: { 'Idempotency-Key': randomUUID() } };
  const created = await client.POST('/api/v1/budgets', { params, body: BUDGET });
  const repeated = await client.POST('/api/v1/budgets', { params, body: BUDGET });
  expect(repeated.data?.id).toBe(created.data?.id);
  const refused = await client.GET('/api/v1/sessions', { params: { query: { limit: 1_000 } } });
  expect(refused.error).toMatchObject({ code: 'invalid_request', errors: [{ parameter: 'limit' }] });
});

it('a client that is generated from the document spends a credit and finds it in the ledger', async () => {
  const person = await join();
  const device = clientWith((await linkDevice(api, person)).access_token);
  const spent = await device.POST('/v1/meter/consume', {
    params: { header: { 'Idempotency-Key': randomUUID() } },
    body: { output_sha256: sha256('an output') },
  });
  expect(spent.data).toMatchObject({ delta: -1, bucket: 'window', reason: 'receipt' });
  const account = clientWith(person.session);
  const { data } = await account.GET('/v1/ledger', { params: { query: { limit: 10 } } });
  const [row] = data?.transactions ?? [];
  expect(row).toMatchObject({ delta: -1, bucket: 'window', reason: 'receipt' });
  const devices = await account.GET('/v1/devices');
  expect(devices.data?.devices).toHaveLength(1);
});
