import { beforeAll, describe, expect, it, vi } from 'vitest';
import { auditRows } from '../../shared/core/accounts/audit/model.ts';
import { createApiKey, revokeApiKey, rotateApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { mintCredential } from '../../shared/core/accounts/keys/credential.ts';
import { apiKeyRows } from '../../shared/core/accounts/keys/model.ts';
import { signalRows } from '../../shared/core/calls/signals/model.ts';
import { makeSignal, makeTenant } from '../support/factories.ts';
import { fixture } from '../support/fixture.ts';
import { type Answer, openKeptLog, startApi, until } from '../support/harness.ts';
import { failCommits } from '../support/interleave.ts';
import { snapshot } from '../support/rows.ts';

const headers = { 'X-Request-Id': 'the-same-id' };
const { api, clock } = await fixture({ clock: true });
let key: string;
let keyId: string;
let orgId: string;
let refused: Answer;
beforeAll(async () => {
  ({ key, keyId, orgId } = await makeTenant(api.ctx));
  refused = await api.call('/api/v1/sessions', { headers });
});

function expectSameRefusal(answer: Answer): void {
  expect(answer.status).toBe(401);
  expect(answer.text).toBe(refused.text);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
}

async function get(authorization: string): Promise<Answer> {
  return api.call('/api/v1/sessions', { headers: { ...headers, Authorization: authorization } });
}

/** The answers to twelve requests of less than a second. A slow machine takes longer; then it sends them again. */
function inOneSecond(send: () => Promise<Answer>): Promise<Answer[]> {
  return until(async () => {
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 12 }, send));
    return performance.now() - startedAt < 1_000 ? answers : null;
  });
}

describe('API keys (33 to 43)', () => {
  it.each([
    '',
    'Basic dXNlcjpwYXNz',
    'Bearer',
    'Bearer  ',
    `Bearer ${'x'.repeat(10_000)}`,
    'Bearer a b',
    'Token x',
    `Bearer ${mintCredential('ugk').token}`,
    `Bearer ${mintCredential('ugd').token}`,
  ])('33, 35, 38 "%.20s" is 401 like all others', async (authorization) => {
    expectSameRefusal(await get(authorization));
  });

  it('33 the scheme may be in any case', async () => {
    expect((await get(`bEaReR ${key}`)).status).toBe(200);
  });

  it('34 a wrong checksum never reaches the database', async () => {
    const find = vi.spyOn(apiKeyRows(api.ctx), 'find');
    const wrong = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A');
    expectSameRefusal(await get(`Bearer ${wrong}`));
    expect(find).not.toHaveBeenCalled();
    find.mockRestore();
  });

  it('35 a key that nobody has is 401 also with a known id', async () => {
    expectSameRefusal(await get(`Bearer ${mintCredential('ugk', keyId).token}`));
  });

  it('36 a revoked and an expired key are 401 from then on', async () => {
    const soon = new Date(clock.now() + 1_000);
    const expiring = await createApiKey(api.ctx, { org_id: orgId, scopes: ['usage:read'], expires_at: soon });
    const revoked = await createApiKey(api.ctx, { org_id: orgId, scopes: ['usage:read'] });
    expect((await get(`Bearer ${expiring.key}`)).status).toBe(200);
    expect((await get(`Bearer ${revoked.key}`)).status).toBe(200);
    await revokeApiKey(api.ctx, revoked.key_id);
    clock.advance(1_000);
    expectSameRefusal(await get(`Bearer ${expiring.key}`));
    expectSameRefusal(await get(`Bearer ${revoked.key}`));
  });

  it('36 a key that was seen and has ended records nothing, also beside others of its organization', async () => {
    const { orgId, key } = await makeTenant(api.ctx);
    const ending = await createApiKey(api.ctx, { org_id: orgId, scopes: ['signals:write'] });
    const post = (by: string, id: string) =>
      api.call('/api/v1/signals', { headers, key: by, body: makeSignal({ id, ts: clock.now() }) });
    for (const by of [key, ending.key]) expect((await post(by, `first-${by}`)).status).toBe(200);
    await revokeApiKey(api.ctx, ending.key_id);
    const [refused, ...taken] = await Promise.all([
      post(ending.key, 'late'),
      post(key, 'beside-1'),
      post(key, 'beside-2'),
    ]);
    expectSameRefusal(refused);
    for (const answer of taken) expect(answer.body.results).toMatchObject([{ status: 'accepted' }]);
    expectSameRefusal(await post(ending.key, 'later'));
    const invalid = { headers, key: ending.key, body: { signals: [{ id: 'no-signal' }] } };
    expectSameRefusal(await api.call('/api/v1/signals', invalid));
    expect(await signalRows(api.ctx).countDocuments({ org_id: orgId })).toBe(4);
  });

  it('37 a request without the scope counts like any other of its key', async () => {
    const limited = await startApi({ clock, env: { RATE_LIMITS: 'on', RATE_LIMIT_PER_KEY: '5' } });
    const tenant = await makeTenant(limited.ctx, { scopes: ['usage:read'] });
    const answers = await inOneSecond(() => limited.call('/api/v1/signals', { key: tenant.key, body: {} }));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403, 429]));
    for (const answer of answers) expect(answer.headers.get('ratelimit')).not.toBeNull();
    await limited.close();
  });

  it('40 a rotated key goes on for its grace and no longer', async () => {
    const old = await createApiKey(api.ctx, { org_id: orgId, scopes: ['usage:read'] });
    const fresh = await rotateApiKey(api.ctx, old.key_id, 5_000);
    expect((await get(`Bearer ${old.key}`)).status).toBe(200);
    expect((await get(`Bearer ${fresh.key}`)).status).toBe(200);
    clock.advance(5_000);
    expectSameRefusal(await get(`Bearer ${old.key}`));
    expect((await get(`Bearer ${fresh.key}`)).status).toBe(200);
  });

  it('is made, rotated or revoked together with its line in the audit log, or not at all', async () => {
    const { orgId } = await makeTenant(api.ctx);
    const { key_id } = await createApiKey(api.ctx, { org_id: orgId, scopes: ['usage:read'] });
    const stored = async () => ({
      keys: await apiKeyRows(api.ctx).find({ org_id: orgId }).sort({ _id: 1 }).toArray(),
      audit: await auditRows(api.ctx).countDocuments({ org_id: orgId }),
    });
    const before = await stored();
    failCommits('each');
    for (const change of [
      () => createApiKey(api.ctx, { org_id: orgId, scopes: ['usage:read'] }),
      () => rotateApiKey(api.ctx, key_id, 5_000),
      () => revokeApiKey(api.ctx, key_id),
    ])
      await expect(change()).rejects.toThrow('planted');
    vi.restoreAllMocks();
    expect(await stored()).toEqual(before);
    await rotateApiKey(api.ctx, key_id, 5_000);
    await revokeApiKey(api.ctx, key_id);
    await revokeApiKey(api.ctx, key_id);
    const after = await stored();
    expect([after.keys.length, after.audit]).toEqual([before.keys.length + 1, before.audit + 3]);
  });

  it('42 no log line, no stored row, no job and no other key of Redis holds a key', async () => {
    const { log, written } = openKeptLog();
    const logged = await startApi({ ctx: { ...api.ctx, log }, clock });
    await logged.call('/api/v1/signals', { key, body: makeSignal({ ts: clock.now() }) });
    await logged.call(`/api/v1/sessions?api_key=${key}`, { key: `${key}x` });
    await logged.call(`/api/v1/sessions/${key}`, { key });
    log.info({ key, token: key, secret: key, nested: { authorization: key } }, 'redaction');
    await logged.close();
    expect(written()).toContain('"msg":"request"');
    expect(written()).not.toContain(key);
    expect([...(await snapshot(api.ctx))].join()).not.toContain(key.slice(20));
  });

  it('limits requests of a key and says so in the RateLimit headers', async () => {
    const limited = await startApi({ clock, env: { RATE_LIMITS: 'on', RATE_LIMIT_PER_KEY: '5' } });
    const tenant = await makeTenant(limited.ctx);
    const answers = await inOneSecond(() => limited.call('/api/v1/sessions', { key: tenant.key }));
    const refusals = answers.filter((answer) => answer.status === 429);
    const served = answers.filter((answer) => answer.status === 200).length;
    expect(refusals).toHaveLength(answers.length - served);
    // 5 in a second, and 5 more where the next one begins meanwhile.
    expect(served).toBeGreaterThanOrEqual(5);
    expect(served).toBeLessThanOrEqual(10);
    expect(refusals[0]?.headers.get('retry-after')).toBe('1');
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"default";q=5;w=1');
    await limited.close();
  });

  it('writes the last use at most once a minute', async () => {
    const used = await createApiKey(api.ctx, { org_id: orgId, scopes: ['usage:read'] });
    const read = async () =>
      (await apiKeyRows(api.ctx).findOne({ _id: used.key_id }))?.last_used_at?.getTime();
    const update = vi.spyOn(apiKeyRows(api.ctx), 'updateOne');
    for (let index = 0; index < 5; index += 1) await get(`Bearer ${used.key}`);
    expect(update).toHaveBeenCalledTimes(1);
    await vi.waitUntil(async () => (await read()) === clock.now());
    clock.advance(60_000);
    await get(`Bearer ${used.key}`);
    expect(update).toHaveBeenCalledTimes(2);
    update.mockRestore();
  });

  it('keeps the later of two uses, whichever is written first', async () => {
    const used = await createApiKey(api.ctx, { org_id: orgId, scopes: ['usage:read'] });
    const rows = apiKeyRows(api.ctx);
    const write = rows.updateOne.bind(rows);
    const late = Promise.withResolvers<void>();
    const update = vi.spyOn(rows, 'updateOne');
    update.mockImplementationOnce(async (...writing) => {
      await late.promise;
      return write(...writing);
    });
    await get(`Bearer ${used.key}`);
    clock.advance(60_000);
    await get(`Bearer ${used.key}`);
    await update.mock.results[1]?.value;
    late.resolve();
    await update.mock.results[0]?.value;
    expect((await rows.findOne({ _id: used.key_id }))?.last_used_at?.getTime()).toBe(clock.now());
    update.mockRestore();
  });
});
