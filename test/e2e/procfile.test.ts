import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillEnvFile } from '../../packages/stack/env-file.ts';
import { ROOT } from '../../packages/stack/files.ts';
import { makeSecrets, makeSigningKey } from '../../packages/stack/make-secrets.ts';
import { findFreePort } from '../../packages/stack/ports.ts';
import { type RunningStore, startMongo, startRedis } from '../../packages/stack/stores.ts';
import { bareEnv } from '../support/bare-env.ts';
import { type CommandLine, commandProcess } from '../support/command-line.ts';
import { type Answer, type CallOptions, call, until } from '../support/harness.ts';
import { ISSUER_CERTIFICATE, startIssuer, type TestIssuer } from '../support/idp.ts';
import { linkDevice } from '../support/people.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** The tests of this file tell one story, in this order: a deployment by the Procfile, from nothing to its end. */
const PROCFILE = Object.fromEntries(
  readFileSync(join(ROOT, 'Procfile'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => /^(\w+): (.+)$/.exec(line)?.slice(1, 3) as [string, string]),
);
const EDITED = ['PORT', 'HOST', 'WORKER_PORT', 'MONGODB_URL', 'REDIS_URL'];

const folder = temporaryFolder(afterAll);
let stores: RunningStore[];
let issuer: TestIssuer;
let env: Record<string, string>;
let governor: CommandLine['governor'];
let web: ChildProcess | undefined;
let worker: ChildProcess | undefined;
const called = new Set<string>();

beforeAll(async () => {
  const mongo = await startMongo({ port: await findFreePort(), dir: join(folder, 'mongo') });
  const redis = await startRedis({ port: await findFreePort(), dir: join(folder, 'redis') });
  stores = [mongo, redis];
  issuer = await startIssuer({ tls: true });
  env = await fillInExample(mongo.url, redis.url);
  ({ governor } = commandProcess(env));
});

afterAll(async () => {
  for (const child of [web, worker]) child?.kill('SIGKILL');
  await issuer.stop();
  await Promise.all(stores.map((store) => store.stop()));
});

/** `.env.example` as an operator fills it in: addresses of this machine, secrets, the issuer. NODE_ENV stays as it is. */
async function fillInExample(mongoUrl: string, redisUrl: string): Promise<Record<string, string>> {
  const [port, workerPort] = [await findFreePort(), await findFreePort()];
  const example = readFileSync(join(ROOT, '.env.example'), 'utf8');
  const emptied = example.replace(new RegExp(`^(${EDITED.join('|')})=.*$`, 'gm'), '$1=');
  const { text } = fillEnvFile(emptied, {
    ...makeSecrets(),
    ...issuer.env,
    SIGNING_KEY: JSON.stringify(makeSigningKey()),
    PORT: String(port),
    HOST: '127.0.0.1',
    WORKER_PORT: String(workerPort),
    BASE_URL: `http://127.0.0.1:${port}`,
    MONGODB_URL: mongoUrl,
    REDIS_URL: redisUrl,
  });
  const filled = parseEnv(text) as Record<string, string>;
  expect(filled.NODE_ENV).toBe('production');
  return { ...filled, NODE_EXTRA_CA_CERTS: ISSUER_CERTIFICATE };
}

/** A line of the Procfile as it stands, started by a shell that becomes its process, as runners do. */
function start(name: 'release' | 'web' | 'worker'): ChildProcess {
  const path = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  return spawn('/bin/sh', ['-c', `exec ${PROCFILE[name]}`], {
    cwd: ROOT,
    env: { ...bareEnv(), PATH: path, ...env },
    stdio: 'ignore',
  });
}

const url = (path: string) => `${env.BASE_URL}${path}`;

async function ask(path: string, options: CallOptions = {}): Promise<Answer> {
  called.add(path.split('?')[0] ?? '');
  return call(url(path), options);
}

test('names the three processes', () => {
  expect(Object.keys(PROCFILE)).toEqual(['release', 'web', 'worker']);
});

test('release prepares the empty database and ends, also the second time', async () => {
  for (const _ of ['first', 'second']) {
    const [code] = await once(start('release'), 'exit');
    expect(code).toBe(0);
  }
});

test('web and worker are ready', async () => {
  web = start('web');
  worker = start('worker');
  const isReady = async (address: string) => (await fetch(address).catch(() => null))?.ok === true;
  const probes = [url('/readyz'), `http://127.0.0.1:${env.WORKER_PORT}/readyz`];
  for (const probe of probes) await until(() => isReady(probe), { what: probe });
});

test('the story of the README: a call becomes a session, a credit becomes a receipt', async () => {
  const { org_id: org } = await governor('org', 'create', 'Acme', '--plan', 'team');
  const { key } = await governor('key', 'create', org, '--scope', 'signals:write', 'usage:read');
  const identity = ['--idp-issuer', issuer.issuer, '--idp-subject', 'ada'];
  const member = await governor('member', 'add', org, 'ada@acme.example', '--user-id', 'ada', ...identity);
  await governor('credits', 'grant', org, 'ada', '100');
  const session = await issuer.mint('ada');
  const person = { session, accountId: member.account_id, orgId: org, userId: 'ada', sub: 'ada' };
  const api = { call: (path: string, options?: CallOptions) => call(url(path), options) };
  const { access_token: device } = await linkDevice(api, person);

  const tokens = { tokens_in: 8512, cache_read_tokens: 8000, cache_write_tokens: 500, tokens_out: 300 };
  const model = { adapter: 'claude-code', model: 'claude-sonnet-4-5', provider: 'anthropic' };
  const signal = { id: 'call-1', ts: new Date().toISOString(), user_id: 'ada', ...model, ...tokens };
  const recorded = await ask('/api/v1/signals', { key, body: signal });
  expect(recorded.body.results).toEqual([expect.objectContaining({ id: 'call-1', status: 'accepted' })]);

  const sessions = await ask('/api/v1/sessions?user_id=ada', { key });
  expect(sessions.body).toMatchObject({ total: 1, has_more: false });
  expect(sessions.body.data[0]).toMatchObject({
    id: recorded.body.results[0].session_id,
    state: 'open',
    signal_count: 1,
    tokens_in: 8512,
    tokens_out: 300,
    cost_usd: 0.0088,
  });
  const usage = await ask('/api/v1/usage?interval=day&group_by=model', { key });
  expect(JSON.stringify(usage.body)).toContain('claude-sonnet-4-5');

  const output_sha256 = createHash('sha256').update('hello').digest('hex');
  const spend = { key: device, headers: { 'Idempotency-Key': randomUUID() }, body: { output_sha256 } };
  const first = await ask('/v1/meter/consume', spend);
  expect(first.status).toBe(200);
  expect((await ask('/v1/meter/consume', spend)).text).toBe(first.text);
  const ledger = await ask('/v1/ledger', { key: session });
  const spends = ledger.body.transactions.filter(({ reason }: { reason: string }) => reason === 'receipt');
  expect(spends).toEqual([expect.objectContaining({ delta: -1, bucket: 'window' })]);
});

test('is the story that the README tells', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const told = [...readme.matchAll(/^curl -s "?\$API(\/[^"?\s]+)/gm)].map(([, path]) => path);
  expect(new Set(told)).toEqual(called);
});

test('web serves its documents and lets nobody look into its metrics', async () => {
  for (const path of ['/docs', '/openapi.json']) expect((await call(url(path))).status, path).toBe(200);
  expect((await call(url('/metrics'))).status).toBe(401);
  expect((await call(url('/metrics'), { key: env.OPERATOR_TOKEN ?? '' })).status).toBe(200);
});

test.each([
  ['web', 'SIGTERM'],
  ['worker', 'SIGINT'],
] as const)('%s ends within 25 s of %s, with exit code 0', async (name, signal) => {
  const child = name === 'web' ? web : worker;
  if (!child) throw new Error(`${name} was not started`);
  const ended = once(child, 'exit');
  child.kill(signal);
  const began = performance.now();
  expect(await ended).toEqual([0, null]);
  expect(performance.now() - began).toBeLessThan(25_000);
});
