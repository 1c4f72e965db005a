import { importJWK, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { createSigner } from '../../../../shared/core/credits/receipts/signer.ts';
import { verifyReceipts } from '../../../../shared/core/credits/receipts/verify-receipts.ts';
import { readConfig } from '../../../../shared/platform/basics/config.ts';
import { createLog } from '../../../../shared/platform/basics/log.ts';
import { openKeptLog, TEST_SIGNING_KEY, testEnv } from '../../../support/harness.ts';

const signer = createSigner(readConfig(testEnv('unused')), createLog({ level: 'silent', process: 'test' }));
signer.close();
const jwks = { keys: [signer.publicKey()] };
const of = { sub: 'u', org: 'o', dev: 'd', jti: 'j' };
const claims = { ...of, bucket: 'window', delta: -1, out: 'a'.repeat(64) };

test('a key that cannot be used signs nothing, and the log says so once without a piece of it', () => {
  const { d, ...rest } = JSON.parse(TEST_SIGNING_KEY);
  const halves = { ...rest, d: Buffer.alloc(32, 7).toString('base64url') };
  for (const unusable of ['', TEST_SIGNING_KEY.replace(`"${d}"`, d), JSON.stringify(halves)]) {
    const { log, written } = openKeptLog();
    const broken = createSigner(readConfig(testEnv('unused', { env: { SIGNING_KEY: unusable } })), log);
    broken.reload();
    broken.close();
    expect(() => broken.sign(claims)).toThrow('There is no signing key');
    expect(written().match(/the signing key cannot be used/g)).toHaveLength(1);
    expect(written()).not.toContain(d.slice(0, 6));
  }
});

test('one changed bit anywhere, another kid and other claims are bad', async () => {
  const receipt = await signer.sign(claims);
  const [head = '', body = '', signature = ''] = receipt.split('.');
  const swap = (text: string, at: number) =>
    text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
  const header = (fields: object) =>
    Buffer.from(JSON.stringify({ alg: 'Ed25519', typ: 'usage-receipt+jwt', ...fields })).toString(
      'base64url',
    );
  const bad = [
    [swap(head, 10), body, signature],
    [head, swap(body, 20), signature],
    [head, body, swap(signature, 5)],
    [header({ kid: 'other' }), body, signature],
    [header({ alg: 'none' }), body, ''],
  ].map((parts) => parts.join('.'));
  bad.push(await signer.sign({ ...claims, delta: 1 }), '{"delta":-1}', 'nonsense');
  const checked = await verifyReceipts(bad, jwks);
  expect([checked.good, checked.bad.length]).toEqual([0, bad.length]);
});

test('a token of another type is no receipt, though the same key signed the same claims', async () => {
  const key = await importJWK(JSON.parse(TEST_SIGNING_KEY), 'Ed25519');
  const signed = (typ: string) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'Ed25519', typ, kid: 'test-key-1' }).sign(key);
  const tokens = [await signed('usage-receipt+jwt'), await signed('at+jwt')];
  expect(await verifyReceipts(tokens, jwks)).toMatchObject({ good: 1, bad: [{ line: 2 }] });
});

test('a receipt is good as it is and inside its answer, and bad lines among many are named by their number, in order', async () => {
  const receipt = await signer.sign(claims);
  const answer = JSON.stringify({ receipt, delta: -1 });
  const lines = Array.from({ length: 300 }, (_, index) => (index % 97 === 0 ? 'nonsense' : receipt));
  const { good, bad } = await verifyReceipts([...lines, '', answer, ''], jwks);
  expect([good, bad.map(({ line }) => line)]).toEqual([297, [1, 98, 195, 292]]);
});
