import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { reply, route } from '../../api/basics/route.ts';
import type { Exchange } from '../../api/serve/exchange.ts';
import { send } from '../../api/serve/send.ts';
import { openKeptLog, openTestContext, startApi, type TestApi, until } from '../support/harness.ts';

const common = {
  method: 'get',
  summary: 'Of this test',
  tag: 'Test',
  auth: { kind: 'none' },
  priority: 'read',
  errors: [],
} as const;
const file = { status: 200, description: 'Bytes', contentType: 'text/plain' } as const;

async function* brokenOff(): AsyncGenerator<string> {
  yield 'first';
  await setImmediate();
  throw new Error('the second piece is not there');
}

const failing = route({
  ...common,
  path: '/failing',
  success: file,
  handle: async () => reply(brokenOff()),
});

const rows = z.strictObject({ rows: z.array(z.strictObject({ n: z.int() })) });
const leaking = route({
  ...common,
  path: '/leaking',
  success: { status: 200, description: 'Rows', body: rows, list: 'rows' },
  handle: async () => ({
    rows: Array.from({ length: 600 }, (_, n) => (n < 500 ? { n } : ({ n, secret: 'hush' } as { n: number }))),
  }),
});

let arrived = Promise.withResolvers<void>();
const released = Promise.withResolvers<void>();
const told = Promise.withResolvers<boolean>();
const asking = route({
  ...common,
  path: '/asking',
  success: { status: 200, description: 'Text', body: z.string() },
  handle: async ({ request }) => {
    arrived.resolve();
    await released.promise;
    told.resolve(request.aborted.aborted);
    return 'done';
  },
});

const kept = openKeptLog();
let api: TestApi;
beforeAll(async () => {
  const ctx = await openTestContext();
  api = await startApi({ ctx: { ...ctx, log: kept.log }, routes: [failing, leaking, asking] });
});
afterAll(async () => {
  await api.close();
  await api.ctx.close();
});
afterEach(() => vi.useRealTimers());

test.each([
  ['/failing', 'first', 'the second piece is not there'],
  ['/leaking', '{"rows":[{"n":0}', 'Unrecognized key'],
])('what fails in the middle of %s cuts the answer, and the log says why', async (path, begins, why) => {
  const id = `cut-${path.slice(1)}`;
  const headers = { 'X-Request-Id': id };
  const [answer] = await once(get(api.url + path, { headers, agent: false }), 'response');
  let text = '';
  answer.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  answer.on('error', () => undefined);
  await new Promise((resolve) => answer.on('close', resolve));
  expect(answer.complete).toBe(false);
  expect(text.startsWith(begins)).toBe(true);
  expect(text).not.toContain('hush');
  const linesOf = (message: string) =>
    kept
      .written()
      .split('\n')
      .filter((line) => line.includes(id) && line.includes(`"${message}"`));
  await until(() => linesOf('request').length > 0);
  expect(linesOf('request failed').join()).toContain(why);
});

test('a request says that its caller has gone, also to who asks only afterwards', async () => {
  const closed = new Promise((resolve) => {
    api.server.once('request', (_req, res) => res.once('close', resolve));
  });
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.write('GET /asking HTTP/1.1\r\nHost: test\r\n\r\n');
  await arrived.promise;
  arrived = Promise.withResolvers();
  socket.destroy();
  await closed;
  released.resolve();
  expect(await told.promise).toBe(true);
});

test('an answer whose first piece comes too late is let go of when it comes', async () => {
  vi.useFakeTimers();
  const late = Promise.withResolvers<void>();
  let hasEnded = false;
  async function* slow(): AsyncGenerator<string> {
    try {
      await late.promise;
      yield 'late';
    } finally {
      hasEnded = true;
    }
  }
  const exchange = { route: failing, req: { method: 'GET' }, res: { setHeader: () => undefined } };
  const sent = send(exchange as unknown as Exchange, reply(slow())).catch((error: unknown) => error);
  // The deadline, and the turn after it.
  await vi.advanceTimersByTimeAsync(25_001);
  expect(await sent).toMatchObject({ name: 'DeadlineError' });
  late.resolve();
  await vi.waitFor(() => expect(hasEnded).toBe(true), { timeout: 60_000 });
});
