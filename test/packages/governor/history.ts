import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { makeTenant } from '../../support/factories.ts';
import { createTestClock, startApi, type TestApi } from '../../support/harness.ts';

export const NOW = Date.parse('2026-11-22T12:00:00Z');
export const clock = createTestClock(NOW);
export let api: TestApi;
export let home: ReturnType<typeof makeFolder>;
export let tenant: Awaited<ReturnType<typeof makeTenant>>;

/** Gives a suite an api, and each of its tests a home and a tenant of its own. */
export function setUpHistory(): void {
  beforeAll(async () => {
    api = await startApi({ clock });
  });
  beforeEach(async () => {
    home = makeFolder();
    tenant = await makeTenant(api.ctx);
  });
  afterEach(() => home.remove());
  afterAll(() => api.close());
}

/** Where the history of a home is sent to, and for whom. */
export const target = () => ({ api: api.url, apiKey: tenant.key, userId: 'ada' });

export type Json = Record<string, unknown>;

/** An empty folder for a test. */
export function makeFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-history-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function writeLines(path: string, lines: readonly (Json | string)[]): void {
  mkdirSync(dirname(path), { recursive: true });
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  writeFileSync(path, `${text.join('\n')}\n`);
}

/** A line of Claude Code's transcript (2.1). */
export function claudeLine(
  ts: number,
  messageId: string,
  usage: Json,
  more: Json = {},
  message: Json = {},
): Json {
  return {
    type: 'assistant',
    timestamp: new Date(ts).toISOString(),
    sessionId: 'session-1',
    requestId: `req_0123456789_${messageId}`,
    cwd: '/nowhere/atlas',
    message: {
      id: messageId,
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: 'MARKED-CONTENT' }],
      usage,
      ...message,
    },
    ...more,
  };
}

/** The golden call of Claude Code. */
export const GOLDEN_USAGE = {
  input_tokens: 12,
  cache_read_input_tokens: 8_000,
  cache_creation_input_tokens: 500,
  output_tokens: 300,
};

/** A line of a Codex rollout. */
export function codexLine(ts: number, type: string, payload: Json): Json {
  return { timestamp: new Date(ts).toISOString(), type, payload };
}

export function codexStep(ts: number, step: [number, number, number], total: [number, number, number]): Json {
  const usage = ([input_tokens, cached_input_tokens, output_tokens]: [number, number, number]) => ({
    input_tokens,
    cached_input_tokens,
    output_tokens,
    reasoning_output_tokens: 0,
    total_tokens: input_tokens + output_tokens,
  });
  const info = { last_token_usage: usage(step), total_token_usage: usage(total) };
  return codexLine(ts, 'event_msg', { type: 'token_count', info });
}
