import { get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { reply, route } from '../../api/basics/route.ts';
import { makeTenant } from '../support/factories.ts';
import { startApi, type TestApi, until } from '../support/harness.ts';

/** The places of one organization among the 16 exports that a process answers at once. */
const PLACES_OF_ONE = 4;

const auth = { kind: 'api-key', scope: 'usage:read' } as const;
const file = { status: 200, description: 'Bytes', contentType: 'text/plain' } as const;

/** An export that ends only when it is cut. */
const endless = route({
  method: 'get',
  path: '/endless',
  summary: 'Never ends',
  tag: 'Test',
  auth,
  priority: 'export',
  success: file,
  errors: [],
  handle: async () => reply(forever()),
});

/** Queries that have begun and not ended. */
let running = 0;

async function* forever(): AsyncGenerator<string> {
  running += 1;
  try {
    for (;;) {
      yield 'x'.repeat(4_096);
      await setImmediate();
    }
  } finally {
    running -= 1;
  }
}

let release = Promise.withResolvers<void>();
/** One that is slow to begin. */
const pondering = route({
  method: 'get',
  path: '/pondering',
  summary: 'Begins when the test says so',
  tag: 'Test',
  auth,
  priority: 'consume',
  success: { ...file, contentType: 'text/plain', body: z.string() },
  errors: [],
  handle: async () => {
    running += 1;
    await release.promise;
    running -= 1;
    return reply('done');
  },
});

/** The same as an export. */
const toiling = { ...pondering, path: '/toiling', priority: 'export' } as const;

let api: TestApi;
const keys: string[] = [];
beforeAll(async () => {
  api = await startApi({ routes: [endless, pondering, toiling], longestAnswerMs: 60_000 });
  for (let tenant = 0; tenant < 5; tenant += 1) keys.push((await makeTenant(api.ctx)).key);
});
afterAll(() => api.close());

const opened: IncomingMessage[] = [];
afterEach(() => {
  for (const answer of opened.splice(0)) answer.destroy();
});

/** An answer of which nothing is read. */
function begin(key: string, url = api.url): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}` };
    const request = get(`${url}/endless`, { headers, agent: false }, (response) => {
      resolve(response.pause().on('error', () => undefined));
    });
    request.on('error', reject);
  });
}

function connections(): Promise<number> {
  return new Promise((resolve) => api.server.getConnections((_error, count) => resolve(count)));
}

async function statusOf(key: string): Promise<number | undefined> {
  const answer = await begin(key);
  if (answer.statusCode === 200) opened.push(answer);
  else answer.destroy();
  return answer.statusCode;
}

/** Waits for a place: a busy machine sheds exports now and then. */
async function occupy(key: string, places = 1): Promise<void> {
  for (let place = 0; place < places; place += 1)
    await until(async () => (await statusOf(key)) === 200, {
      what: 'an export to be let in',
    });
}

const [first, second] = [() => keys[0] as string, () => keys[1] as string];

describe('an organization that asks for ten times its share (109)', () => {
  it('takes no place of another, is told when to come again, and is served once it has left', async () => {
    await occupy(first(), PLACES_OF_ONE);
    const more = await Promise.all(Array.from({ length: 36 }, () => begin(first())));
    expect(new Set(more.map(({ statusCode }) => statusCode))).toEqual(new Set([503]));
    expect(more[0]?.headers['retry-after']).toBe('1');
    await occupy(second());
    for (const answer of [...more, ...opened.splice(0)]) answer.destroy();
    await occupy(first(), PLACES_OF_ONE);
  });

  it('keeps its places while what it asked for is worked on, also when it hangs up', async () => {
    for (const answer of opened.splice(0)) answer.destroy();
    await until(() => running === 0, { what: 'the queries before to end' });
    const headers = { Authorization: `Bearer ${first()}` };
    const asked = Array.from({ length: PLACES_OF_ONE }, () =>
      get(`${api.url}/toiling`, { headers, agent: false }).on('error', () => undefined),
    );
    await until(() => running === PLACES_OF_ONE, { what: 'the work to begin' });
    for (const request of asked) request.destroy();
    await until(async () => (await connections()) === 0, { what: 'the callers to be gone' });
    expect(await statusOf(first())).toBe(503);
    release.resolve();
    await occupy(first());
    release = Promise.withResolvers();
  });

  it('leaves the limit of the process as it is: what four take, a fifth does not get', async () => {
    for (const key of keys.slice(0, 4)) await occupy(key, PLACES_OF_ONE);
    expect(await statusOf(keys[4] as string)).toBe(503);
  });
});

describe('a slow reader of a big export (27)', () => {
  it('that goes away ends the query', async () => {
    await until(() => running === 0, { what: 'the queries before to end' });
    await occupy(first(), PLACES_OF_ONE);
    expect(running).toBe(PLACES_OF_ONE);
    for (const answer of opened.splice(0)) answer.destroy();
    await until(() => running === 0, { what: 'the queries to end' });
  });

  it('is cut off when it takes nothing, and its place is given back', async () => {
    expect(api.server.timeout, 'as docs/usage.md says').toBe(30_000);
    api.server.timeout = 200;
    await occupy(first(), PLACES_OF_ONE + 1);
    api.server.timeout = 30_000;
  });

  it('is cut off at a total limit, however much it takes', async () => {
    const brief = await startApi({ ctx: api.ctx, routes: [endless], longestAnswerMs: 200 });
    const answer = await until(async () => {
      const begun = await begin(first(), brief.url);
      return begun.statusCode === 200 ? begun : null;
    });
    await new Promise((resolve) => answer?.resume().once('close', resolve));
    expect(answer?.complete).toBe(false);
    await brief.close();
  });

  it('is not who waits for an answer that has not begun', async () => {
    api.server.timeout = 50;
    const patience = Promise.withResolvers<void>();
    api.server.once('connection', (socket: Socket) => socket.once('timeout', () => patience.resolve()));
    const answer = api.call('/pondering', { key: first(), headers: { Connection: 'close' } });
    await patience.promise;
    api.server.timeout = 30_000;
    release.resolve();
    expect((await answer).text).toBe('done');
    release = Promise.withResolvers();
  });
});
