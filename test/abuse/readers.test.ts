import { get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reply, route } from '../../api/route.ts';
import { makeTenant } from '../factories.ts';
import { startApi, type TestApi, until } from '../harness.ts';

/** Of the 16 exports that a process answers at once. */
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

async function* forever(): AsyncGenerator<string> {
  for (;;) {
    yield 'x'.repeat(4_096);
    await setImmediate();
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
  priority: 'export',
  success: file,
  errors: [],
  handle: async () => {
    await release.promise;
    return reply('done');
  },
});

let api: TestApi;
const keys: string[] = [];
const [first, second] = [() => keys[0] as string, () => keys[1] as string];
beforeAll(async () => {
  api = await startApi({ routes: [endless, pondering], longestAnswerMs: 60_000 });
  for (let tenant = 0; tenant < 2; tenant += 1) keys.push((await makeTenant(api.ctx)).key);
});
afterAll(() => api.close());

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

async function statusOf(key: string): Promise<number | undefined> {
  const answer = await begin(key);
  answer.destroy();
  return answer.statusCode;
}

describe('an organization that asks for ten times its share (row 109)', () => {
  it('takes no place of another, is told when to come again, and is served once it has left', async () => {
    const answers = await Promise.all(Array.from({ length: 16 }, () => begin(first())));
    const refused = answers.filter(({ statusCode }) => statusCode === 503);
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([
      ...Array(PLACES_OF_ONE).fill(200),
      ...Array(16 - PLACES_OF_ONE).fill(503),
    ]);
    expect(refused[0]?.headers['retry-after']).toBe('1');
    expect(await statusOf(second())).toBe(200);
    expect(await statusOf(first())).toBe(503);
    for (const answer of answers) answer.destroy();
    await until(async () => (await statusOf(first())) === 200, { what: 'a place of those that left' });
  });
});

describe('a slow reader of a big export (row 27)', () => {
  it('is cut off when it takes nothing, and its place is given back', async () => {
    api.server.timeout = 200;
    const answers = await Promise.all(Array.from({ length: PLACES_OF_ONE }, () => begin(first())));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(PLACES_OF_ONE).fill(200));
    await until(async () => (await statusOf(first())) === 200, { what: 'a place of those that were cut' });
    api.server.timeout = 30_000;
    for (const answer of answers) answer.destroy();
  });

  it('is cut off at a total limit, however much it takes', async () => {
    const brief = await startApi({ ctx: api.ctx, routes: [endless], longestAnswerMs: 200 });
    const answer = await begin(first(), brief.url);
    expect(answer.statusCode).toBe(200);
    await new Promise((resolve) => answer.resume().once('close', resolve));
    expect(answer.complete).toBe(false);
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
