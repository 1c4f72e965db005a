import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import express from 'express';
import { Redis } from 'ioredis';

/**
 * The least that a signed, durable spend can cost here: Express, a JSON body, one Ed25519 signature, one EVALSHA that
 * does one XADD. No checks, no balance, no idempotency. Port and Redis come from the environment.
 */
const redis = new Redis(process.env.REDIS_URL ?? '');
const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const key = createPrivateKey({ key: jwk, format: 'jwk' });
const sha = String(await redis.script('LOAD', "return redis.call('XADD', KEYS[1], '*', 'answer', ARGV[1])"));
const app = express();
app.use(express.json());
app.post('/v1/meter/consume', async (req, res) => {
  const payload = Buffer.from(JSON.stringify({ ...req.body, iat: Date.now(), filler: 'x'.repeat(250) }));
  const receipt = `${payload.toString('base64url')}.${sign(null, payload, key).toString('base64url')}`;
  await redis.evalsha(sha, 1, 'floor', receipt);
  res.json({ receipt });
});
app.get('/readyz', (_req, res) => {
  res.json({});
});
app.listen(Number(process.env.PORT), '127.0.0.1');
