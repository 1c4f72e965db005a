import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openApiDocument } from '../../api/docs/openapi.ts';
import { routes } from '../../api/routes/index.ts';
import { openKeptLog } from '../support/harness.ts';

it('107 a line break in what is logged stays in one line of JSON', () => {
  const { log, written } = openKeptLog();
  log.info({ user_id: 'ada\n{"level":60,"msg":"forged"}', err: new Error('a\r\nb') }, 'said\nmore');
  const lines = written().trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 30, msg: 'said\nmore' });
});

it('108 no pattern of an input is slow on a text that is made for it', () => {
  const patterns = patternsIn(openApiDocument(routes({ stopping: false }), 'https://usage-governor.test'));
  expect(patterns.size).toBeGreaterThan(5);
  const hostile = ['a', '0', ' ', '-', '.', '2026-01-01T', 'a.', 'a@', '0:'].flatMap((part) => [
    part.repeat(20_000),
    `${part.repeat(20_000)}!`,
    `2026-01-01T00:00:00.${part.repeat(20_000)}!`,
  ]);
  for (const pattern of patterns) {
    const expression = new RegExp(pattern);
    // Time of the processor, which no other process uses up.
    const before = process.threadCpuUsage();
    for (const text of hostile) expression.test(text);
    const { user } = process.threadCpuUsage(before);
    expect([pattern, user < 500_000]).toEqual([pattern, true]);
  }
});

it('113 a rejection that nobody handles is logged and ends the process with 1', async () => {
  const script = `
    import { createLog } from './shared/platform/basics/log.ts';
    import { stopOnSignal } from './shared/platform/basics/shutdown.ts';
    stopOnSignal(createLog({ level: 'info', process: 'test' }), async () => undefined);
    setInterval(() => undefined, 1_000);
    Promise.reject(new Error('nobody handles this'));
  `;
  const args = ['--input-type=module-typescript', '--eval', script];
  const failed = await promisify(execFile)(process.execPath, args, { timeout: 120_000 }).catch(
    (error) => error,
  );
  expect(failed.code).toBe(1);
  expect(`${failed.stdout}${failed.stderr}`).toContain('nobody handles this');
});

function patternsIn(part: unknown, found = new Set<string>()): Set<string> {
  if (typeof part !== 'object' || part === null) return found;
  const { pattern } = part as { pattern?: unknown };
  if (typeof pattern === 'string') found.add(pattern);
  for (const value of Object.values(part)) patternsIn(value, found);
  return found;
}
