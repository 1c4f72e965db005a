import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { inject } from 'vitest';
import type { AnyRoute, ApiState } from '../../api/basics/route.ts';
import type { Wing } from '../../shared/core/hooks/wing.ts';
import type { Clock } from '../../shared/platform/basics/clock.ts';
import { type Config, readConfig } from '../../shared/platform/basics/config.ts';
import { createLog, type Log } from '../../shared/platform/basics/log.ts';
import { type Context, openContext } from '../../shared/platform/context/context.ts';
import type { Db } from '../../shared/platform/mongo/connect.ts';
import { COLLECTIONS, createIndexes } from '../../shared/tables/collections.ts';
import { WINGS } from '../../shared/tables/wings.ts';
import { watchTransactions } from './beside-transaction.ts';
import type { SeenAnswer } from './contract.ts';
import { judgeCommands } from './judge-commands.ts';
import { findLasting } from './lasting-keys.ts';
import { PATIENCE_MS } from './patience.ts';
import { findUnfit } from './stored-fields.ts';

/** A clock that stands still until a test moves it. */
export interface TestClock extends Clock {
  /** Time passes until then. */
  set(epochMs: number): void;
  /** Time passes. */
  advance(ms: number): void;
  /** Somebody sets the wall clock forward or back; no time passes. */
  shift(ms: number): void;
}

export function createTestClock(epochMs: number = Date.now()): TestClock {
  let nowMs = epochMs;
  let elapsedMs = 0;
  const advance = (ms: number) => {
    nowMs += ms;
    elapsedMs += ms;
  };
  return {
    now: () => nowMs,
    elapsed: () => elapsedMs,
    set: (next) => advance(next - nowMs),
    advance,
    shift: (ms) => {
      nowMs += ms;
    },
  };
}

export interface TestContext extends Context {
  /** The prefix of this test's own BullMQ queues; a worker under test needs it. */
  queuePrefix: string;
}

export interface TestOptions {
  clock?: Clock;
  env?: Record<string, string>;
  /** An earlier context whose data this one shares, as another process. */
  sharing?: TestContext;
  mongoUrl?: string;
  redisUrl?: string;
  /** The wings that take part; all unless it says otherwise. */
  wings?: readonly Wing[];
  /** Judges the commands of the product also on the embedded store; behind the face of a mongod they always are. */
  isJudged?: true;
}

/** Contexts of this process that are open: the last to close empties the Redis database of its worker. */
let open = 0;

/**
 * Real stores, an own database and own queues. `close` drops them. It throws for keys that live too long, for commands beside their
 * transaction and, in contexts that are judged, for commands of the product that MongoDB would refuse or serve badly. The client
 * reports its commands (`commandStarted`, `commandSucceeded`).
 */
export async function openTestContext(options: TestOptions = {}): Promise<TestContext> {
  const name = `t${randomBytes(6).toString('hex')}`;
  const config = options.sharing?.config ?? testConfig(name, options);
  const queuePrefix = options.sharing?.queuePrefix ?? `{${name}}`;
  const log = createLog({ level: process.env.TEST_LOG ?? 'silent', process: 'test' });
  const ctx = await openContext(config, {
    process: 'test',
    wings: options.wings ?? WINGS,
    log,
    queuePrefix,
    ...(options.clock ? { clock: options.clock } : {}),
  });
  open += 1;
  const verdict = isJudged(ctx.db, options) ? judgeCommands(ctx.db) : () => undefined;
  const expectNoneBeside = watchTransactions(ctx.db);
  if (!options.sharing) {
    await createIndexes(ctx.db);
    if (options.clock) await keepExpired(ctx.db);
  }
  return {
    ...ctx,
    queuePrefix,
    close: async () => {
      const unfit = options.sharing || options.mongoUrl ? [] : await findUnfit(ctx.db, COLLECTIONS);
      // A killed child's transaction may hold it up; the store itself goes with the test run.
      const drop = options.sharing ? null : ctx.db.connection.dropDatabase().catch(() => undefined);
      await Promise.race([drop, new Promise((resolve) => setTimeout(resolve, 5_000))]);
      open -= 1;
      const lasting = await findLasting(ctx.redis.producer);
      if (open === 0 && DATABASE !== null && !options.redisUrl)
        await ctx.redis.producer.flushdb().catch(() => '');
      await ctx.close();
      if (lasting.length > 0) throw new Error(`Keys that live too long: ${lasting.join(', ')}`);
      verdict();
      expectNoneBeside();
      if (unfit.length > 0) throw new Error(`Rows that do not fit their fields:\n${unfit.join('\n')}`);
    },
  };
}

/** It takes a tenth of a file's time, so by day a third of the files do it: those behind the face (docs/stores.md). */
function isJudged(db: Db, options: TestOptions): boolean {
  return options.isJudged === true || !db.isEmbedded;
}

/** Keeps the store from deleting rows that have expired: it goes by the machine's clock, which may be far ahead of a test's. */
async function keepExpired(db: Db): Promise<void> {
  const { database } = db;
  for (const { collectionName, indexes } of COLLECTIONS)
    for (const { key, expireAfterSeconds } of indexes)
      if (expireAfterSeconds !== undefined)
        await database.command({
          collMod: collectionName,
          index: { keyPattern: key, expireAfterSeconds: LONGEST_KEPT_S },
        });
}

/** The most that a TTL index may have (https://www.mongodb.com/docs/manual/core/index-ttl/). */
const LONGEST_KEPT_S = 2_147_483_647;

/** Made for the tests; signs nothing that anyone trusts. */
export const TEST_SIGNING_KEY = JSON.stringify({
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  kid: 'test-key-1',
});

/** The environment of a test process: also what a child process under test gets. */
export function testEnv(name: string, options: Pick<TestOptions, 'env' | 'mongoUrl' | 'redisUrl'> = {}) {
  const mongo = new URL(options.mongoUrl ?? inject('mongoUrl'));
  mongo.pathname = `/${name}`;
  return {
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    MONGODB_URL: mongo.href,
    REDIS_URL: options.redisUrl ?? redisUrl(),
    OPERATOR_TOKEN: 'operator-token-of-the-tests',
    API_KEY_PEPPER: 'pepper-of-the-tests-0123456789abcdef',
    CURSOR_SECRET: 'cursor-secret-of-the-tests-0123456789',
    SESSION_SECRET: 'session-secret-of-the-tests-0123456789',
    WEBHOOK_SECRET_KEYS: `k1:${Buffer.from('webhook-key-of-the-tests-0123456').toString('base64')}`,
    SIGNING_KEY: TEST_SIGNING_KEY,
    RATE_LIMITS: 'off',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    ...options.env,
  };
}

/** The Redis database of this worker: no other file that runs at the time has keys in it. A Redis has 16 of them. */
const DATABASE = databaseOf(Number(process.env.VITEST_POOL_ID));

function databaseOf(worker: number): number | null {
  return worker >= 1 && worker < 16 ? worker : null;
}

function redisUrl(): string {
  const url = new URL(inject('redisUrl'));
  if (DATABASE !== null) url.pathname = `/${DATABASE}`;
  return url.href;
}

function testConfig(name: string, options: TestOptions): Config {
  const { MONGODB_URL, ...env } = testEnv(name, options);
  const mongo = new URL(MONGODB_URL);
  mongo.searchParams.set('monitorCommands', 'true');
  return readConfig({ ...env, MONGODB_URL: mongo.href });
}

export interface TestApi {
  url: string;
  ctx: TestContext;
  state: ApiState;
  server: Server;
  /** `fetch` on this api. A `body` that is no string is sent as JSON; `key` goes as bearer token. */
  call(path: string, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface CallOptions {
  method?: string;
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  body: any;
}

interface ApiOptions extends TestOptions {
  ctx?: TestContext;
  /** Instead of the table. */
  routes?: readonly AnyRoute[];
  longestAnswerMs?: number;
  /** Instead of a free one, for who has to know it before. */
  port?: number;
}

/** A real api on a free port. Closes its context too, unless that came from outside. */
export async function startApi(options: ApiOptions = {}): Promise<TestApi> {
  const { createApi } = await import('../../api/app.ts');
  const { closeServer, createHttpServer } = await import('../../api/serve/server.ts');
  const ctx = options.ctx ?? (await openTestContext(options));
  const state: ApiState = { stopping: false };
  const check = await (options.routes ? loadContract(options.routes) : contractOfAll());
  const { app, shedder } = createApi(ctx, state, options.routes, options.longestAnswerMs);
  // How busy this machine is decides no test.
  shedder.refuseWhenLate = () => undefined;
  const server = createHttpServer(app, ctx.config);
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    ctx,
    state,
    server,
    call: (path, callOptions) => call(url + path, callOptions, check),
    close: async () => {
      await closeServer(server);
      shedder.stop();
      if (!options.ctx) await ctx.close();
    },
  };
}

type Check = (answer: SeenAnswer) => void;

/** Loaded when it is needed: half of the test files start no api, and its routes take half a second of a core to load. */
async function loadContract(routes?: readonly AnyRoute[]): Promise<Check> {
  const { createContract } = await import('./contract.ts');
  return createContract(routes);
}

let ofAll: Promise<Check> | undefined;

/** The contract of the whole table, which takes a quarter of a second to make. */
function contractOfAll(): Promise<Check> {
  ofAll ??= loadContract();
  return ofAll;
}

/** `fetch` as a test wants it, on any api. The answer must be one that the OpenAPI document describes. */
export async function call(url: string, options: CallOptions = {}, check?: Check): Promise<Answer> {
  const { method = options.body === undefined ? 'GET' : 'POST', key, body, headers = {}, signal } = options;
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    ...(signal ? { signal } : {}),
    headers: {
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const hold = check ?? (await contractOfAll());
  hold({
    method,
    path: url.replace(/^\w+:\/\/[^/]+/, ''),
    status: response.status,
    headers: response.headers,
    text,
  });
  const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}

/** Waits for a condition instead of sleeping. Rejects after `timeoutMs`, which is less only where a promise says so. */
export async function until<T>(
  condition: () => T | Promise<T>,
  options: { timeoutMs?: number; what?: string } = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + (options.timeoutMs ?? PATIENCE_MS);
  for (;;) {
    // The last look begins after the deadline: a slow one that began before is no proof that it was missed.
    const isLast = performance.now() > deadline;
    const value = await condition();
    if (value) return value;
    if (isLast) throw new Error(`Waited in vain for ${options.what ?? String(condition)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/**
 * Sends a request again, as a client does, while a busy machine sheds it (503) or lets its deadline pass (504). `send` uses
 * the same Idempotency-Key each time.
 */
export async function callSurely(send: () => Promise<Answer>): Promise<Answer> {
  const served = async () => {
    const answer = await send();
    return [503, 504].includes(answer.status) ? null : answer;
  };
  return until(served, { what: 'an answer other than 503 and 504' });
}

/** A log that writes everything, and what it wrote so far. */
export function openKeptLog(): { log: Log; written: () => string } {
  let written = '';
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      written += String(chunk);
      done();
    },
  });
  return { log: createLog({ level: 'trace', process: 'test', destination }), written: () => written };
}
