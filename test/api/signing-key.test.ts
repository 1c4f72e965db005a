import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { signingKeyRows } from '../../shared/core/credits/model.ts';
import { keepKeysPublished } from '../../shared/core/credits/receipts/publish-keys.ts';
import { signerOf } from '../../shared/core/credits/receipts/signer.ts';
import { makeAccount, sha256 } from '../support/credits.ts';
import { type Child, startChild } from '../support/drills/child.ts';
import { storesFixture } from '../support/fixture.ts';
import { TEST_SIGNING_KEY, until } from '../support/harness.ts';
import { temporaryFolder } from '../support/temporary.ts';

const { ctx, env } = await storesFixture({ redis: true });
const folder = temporaryFolder(afterAll);
const file = join(folder, 'key.json');
let child: Child;
beforeAll(async () => {
  writeFileSync(file, TEST_SIGNING_KEY);
  child = await startChild('api/main.ts', { ...env, SIGNING_KEY_FILE: file, SIGNING_KEY: '' });
});
afterAll(() => child.stop());

test('the public half of each key is kept, from the start and when it is replaced, though nobody asks for it', async () => {
  const isKept = (kid: string) => signingKeyRows(ctx).findOne({ _id: kid }, { projection: { _id: 1 } });
  await until(() => isKept('test-key-1'));
  writeFileSync(file, makeKey('replaced'));
  child.process.kill('SIGHUP');
  await until(() => isKept('replaced'));
  writeFileSync(file, TEST_SIGNING_KEY);
  child.process.kill('SIGHUP');
});

test('keys that are replaced while MongoDB is away are kept once it is back', async () => {
  const own = join(folder, 'own-key.json');
  writeFileSync(own, makeKey('first'));
  const keyed = { ...ctx, config: { ...ctx.config, signingKeyFile: own } };
  const writing = vi.spyOn(signingKeyRows(ctx), 'updateOne');
  writing.mockRejectedValue(new Error('Connection is closed.'));
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const stop = keepKeysPublished(keyed);
  writeFileSync(own, makeKey('second'));
  signerOf(keyed).reload();
  await until(() => writing.mock.settledResults.length >= 2);
  writing.mockRestore();
  await until(async () => {
    vi.advanceTimersByTime(5_000);
    return (await signingKeyRows(ctx).countDocuments({ _id: { $in: ['first', 'second'] } })) === 2;
  });
  void stop();
  vi.useRealTimers();
  signerOf(keyed).close();
});

test('SIGHUP makes an api look at its key file at once: gone, only repeats are answered; back, it goes on', async () => {
  const { token } = await makeAccount(ctx);
  const first = await spend(token, 'first');
  expect(first.status).toBe(200);

  rmSync(file);
  child.process.kill('SIGHUP');
  const refusal = await until(async () => {
    const answer = await spend(token, randomUUID());
    return answer.status === 503 ? answer : null;
  });
  expect(JSON.parse(refusal?.text ?? '')).toMatchObject({ code: 'signing_unavailable' });
  expect(await spend(token, 'first')).toEqual(first);
  expect((await fetch(`${child.url}/.well-known/jwks.json`)).status).toBe(200);

  writeFileSync(file, TEST_SIGNING_KEY);
  child.process.kill('SIGHUP');
  await until(async () => (await spend(token, randomUUID())).status === 200);
  expect(await spend(token, 'first')).toEqual(first);
});

function makeKey(kid: string): string {
  return JSON.stringify({ ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid });
}

async function spend(token: string, key: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${child.url}/v1/meter/consume`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify({ output_sha256: sha256(key) }),
  });
  return { status: answer.status, text: await answer.text() };
}
