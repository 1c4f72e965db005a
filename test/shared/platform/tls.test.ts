import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, expect, inject, test } from 'vitest';
import { readConfig } from '../../../shared/platform/basics/config.ts';
import { trustAuthorities } from '../../../shared/platform/basics/trust-authorities.ts';
import { connectMongo } from '../../../shared/platform/mongo/connect.ts';
import { connectRedis, waitUntilReady } from '../../../shared/platform/redis/connect.ts';
import { testEnv } from '../../support/harness.ts';
import { listen, temporaryFolder } from '../../support/temporary.ts';

const FOLDER = join(import.meta.dirname, '../../support/tls');
const CERTIFICATE = join(FOLDER, 'certificate.pem');
const trusted = getCACertificates('default');

/** The environment of a process that reaches both stores by TLS alone. */
const mongo = new URL(await encrypted(inject('mongoUrl')));
mongo.pathname = '/governor';
// The driver would go on to the address that the store gives itself, which is not encrypted.
for (const [name, value] of Object.entries({ tls: 'true', directConnection: 'true' }))
  mongo.searchParams.set(name, value);
const REDIS_URL = (await encrypted(inject('redisUrl'))).replace('redis:', 'rediss:');
const env = { ...testEnv('governor'), MONGODB_URL: mongo.href, REDIS_URL };
afterEach(() => setDefaultCACertificates(trusted));

/** The address of a store behind a server that speaks TLS with a certificate that nobody knows. */
async function encrypted(address: string): Promise<string> {
  const url = new URL(address);
  const { hostname, port } = url;
  const options = { key: readFileSync(join(FOLDER, 'key.pem')), cert: readFileSync(CERTIFICATE) };
  const server = createServer(options, (socket) => {
    const store = connect(Number(port), hostname);
    for (const end of [socket, store]) end.on('error', () => undefined);
    socket.pipe(store).pipe(socket);
  });
  server.on('tlsClientError', () => undefined);
  url.host = new URL(await listen(server, afterAll)).host;
  return url.href;
}

const configWith = (more: Record<string, string>) => readConfig({ ...env, ...more });

test('both stores are reached by TLS with an authority of CA_FILE', async () => {
  const config = configWith({ CA_FILE: CERTIFICATE });
  trustAuthorities(config);
  const redis = connectRedis(config, 'producer');
  await waitUntilReady(redis, 5_000);
  expect(await redis.ping()).toBe('PONG');
  redis.disconnect();
  const { connection } = await connectMongo(config.mongodbUrl);
  expect(await connection.db?.command({ ping: 1 })).toMatchObject({ ok: 1 });
  await connection.close();
});

test('MongoDB is reached by TLS with an authority that its own address names', async () => {
  const { connection } = await connectMongo(`${env.MONGODB_URL}&tlsCAFile=${CERTIFICATE}`);
  expect(await connection.db?.command({ ping: 1 })).toMatchObject({ ok: 1 });
  await connection.close();
});

test('an authority that is not trusted is named, with the setting that mends it', async () => {
  const config = configWith({});
  await expect(connectMongo(config.mongodbUrl)).rejects.toThrow(/^MONGODB_URL: .*certificate.*CA_FILE/);
  const redis = connectRedis(config, 'producer');
  await expect(waitUntilReady(redis, 1_000)).rejects.toThrow(/certificate.*CA_FILE/);
  redis.disconnect();
});

test('a file without a certificate stops the start', () => {
  const folder = temporaryFolder();
  const files = {
    missing: null,
    empty: '',
    broken: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    if (text !== null) writeFileSync(path, text);
    expect(() => trustAuthorities(configWith({ CA_FILE: path }))).toThrow(/^CA_FILE: .* cannot be used: /);
  }
});
