import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { ROOT } from '../../packages/stack/files.ts';
import { openTestContext, testEnv, until } from '../support/harness.ts';

const ctx = await openTestContext();
afterAll(() => ctx.close());

test.each([
  ['api/main.ts', 'PORT', 'api listens'],
  ['workers/main.ts', 'WORKER_PORT', 'worker runs'],
])(
  '%s listens at a free port with %s=0, and names it in its log',
  async (entry, variable, told) => {
    const name = new URL(ctx.config.mongodbUrl).pathname.slice(1);
    const env = { ...testEnv(name), PATH: process.env.PATH ?? '', LOG_LEVEL: 'info', [variable]: '0' };
    const child = spawn(process.execPath, [entry], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    try {
      const { port } = await findLine(child.stdout, told);
      expect(port).toBeGreaterThan(0);
      await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  },
  60_000,
);

async function findLine(output: NodeJS.ReadableStream, message: string): Promise<{ port: number }> {
  for await (const line of createInterface({ input: output })) {
    const entry = JSON.parse(line) as { msg: string; port: number };
    if (entry.msg === message) return entry;
  }
  throw new Error(`The process ended without "${message}".`);
}
