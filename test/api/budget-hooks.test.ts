import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { hookClaudeCode } from '../../api/routes/hook-claude-code.ts';
import { admit } from '../../api/serve/admit.ts';
import type { Exchange } from '../../api/serve/exchange.ts';
import { checkCall } from '../../packages/governor/src/check.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { startApi, until } from '../support/harness.ts';

const { api, ask, key, keyOf, send, spend } = await fixture();
const checkKey = (userId: string | null) => keyOf(userId, ['budgets:check']);
/** Bound to ada, whose budget is used up, to bob, who has one of which a quarter is used, and to nobody. */
const [ada, bob, unbound] = [await checkKey('ada'), await checkKey('bob'), await checkKey(null)];
beforeAll(async () => {
  for (const scope_id of ['ada', 'bob']) {
    const name = `Of\n\u001b[31m${scope_id}${'x'.repeat(200)}`;
    const body = { ...BUDGET, name, scope: 'user', scope_id, threshold: 8 };
    await ask('/api/v1/budgets', { ...body, enforce: 'hard' });
    await ask('/api/v1/budgets', { ...body, name: 'roomy', threshold: 9_000 });
  }
  await spend({ user_id: 'ada', cost_usd: 8 }, { user_id: 'bob', cost_usd: 2 });
  await until(async () => (await own(ada)).body.allow === false);
  await until(async () => (await own(bob)).body.budgets[0]?.remaining === 6);
});

const own = (as: string, query = '') => send(`/api/v1/me/budget${query}`, undefined, { key: as });
/** As Claude Code sends it. */
const SENT = { session_id: 's', transcript_path: '/t', cwd: '/c', permission_mode: 'default' };
const hook = (as: string, hook_event_name: string, more: object = {}) =>
  send('/hooks/claude-code', { ...SENT, hook_event_name, ...more }, { key: as });
const reason = expect.stringMatching(
  /ada.* has \$0\.00 of \$8\.00 left until .*\nAsk for more: governor raise --budget bud_\w+ --amount N, or http\S+\/dashboard\/raise\?budget=bud_\w+$/s,
);

describe('the hook of Claude Code', () => {
  test('blocks a prompt and denies a tool when a hard budget refuses, and nothing else', async () => {
    const prompt = await hook(ada, 'UserPromptSubmit', { prompt: 'secret words' });
    expect([prompt.status, prompt.body]).toEqual([200, { decision: 'block', reason }]);
    const tool = await hook(ada, 'PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } });
    expect(tool.body).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: reason,
      },
    });
    expect((await hook(ada, 'PostToolUse')).body).toEqual({});
    expect((await hook(bob, 'PreToolUse')).body).toEqual({});
    // For a key that is bound to no user the budgets of the organization count alone.
    expect((await hook(unbound, 'UserPromptSubmit')).body).toEqual({});
  });

  test('skips what it does not read, also a large file, and takes no Content-Encoding', async () => {
    const tool_input = `{"content":"${String.raw`\"`.repeat(1_000)}","deep":${'['.repeat(99)}${']'.repeat(99)}}`;
    const body = `{"tool_input":${tool_input},"hook_event_name":"UserPromptSubmit"}`;
    const plain = await send('/hooks/claude-code', body, { key: ada });
    expect([plain.status, plain.body]).toEqual([200, { decision: 'block', reason }]);
    const large = await hook(ada, 'PreToolUse', { tool_input: { content: 'x'.repeat(4_000_000) } });
    expect(large.body).toHaveProperty('hookSpecificOutput');
    const cut = await send('/hooks/claude-code', body.slice(0, -1), { key: ada });
    expect([cut.status, cut.body.code]).toEqual([400, 'malformed_json']);
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${ada}` };
    const zipped = await fetch(`${api.url}/hooks/claude-code`, {
      method: 'POST',
      headers: { ...headers, 'Content-Encoding': 'gzip' },
      body: gzipSync(body),
    });
    expect(zipped.status).toBe(415);
  });

  test('counts a large body once per MiB, and sheds it before the decisions about money', async () => {
    const prompt = 'x'.repeat(2.5 * 2 ** 20);
    const limited = await startApi({ ctx: { ...api.ctx, config: { ...api.ctx.config, rateLimits: true } } });
    const body = { hook_event_name: 'Stop', prompt };
    const answer = await limited.call('/hooks/claude-code', { key: unbound, body });
    expect(answer.headers.get('ratelimit')).toMatch(/r=597;/);
    await limited.close();
    const refuseWhenLate = (priority: string) => {
      throw new Error(priority);
    };
    const shed = (length: number) => {
      const req = { headers: { 'content-length': String(length) } };
      const guards = { shedder: { refuseWhenLate } };
      return admit({ route: hookClaudeCode, guards, req } as unknown as Exchange);
    };
    await expect(shed(256 * 1_024)).rejects.toThrow('consume');
    await expect(shed(256 * 1_024 + 1)).rejects.toThrow('ingest');
  });
});

describe('the own budget', () => {
  test('is what a check without an estimate answers', async () => {
    const checked = await send('/api/v1/budgets/check', {}, { key: bob });
    expect((await own(bob)).body).toEqual(checked.body);
    expect(checked.body.budgets).toMatchObject([{ remaining: 6, utilization_pct: 25 }, { name: 'roomy' }]);
  });

  test('is one line about the tightest budget, below 200 characters and harmless in a terminal', async () => {
    const { text, headers } = await own(bob, '?format=line');
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(text).toMatch(/^\$6\.00 of \$8\.00 left, 25 % used: Of \[31mbobx+\n$/);
    expect(text.length).toBeLessThan(200);
    expect((await own(ada, '?format=line')).text).toMatch(
      /^\$0\.00 of \$8\.00 left, 100 % used, refuses your calls until \d+ [A-Z][a-z]{2}, 00:00 UTC: Of/,
    );
    expect((await own(unbound, '?format=line')).text).toBe('No budget\n');
    expect((await own(bob, '?format=json')).status).toBe(400);
  });
});

describe('governor check', () => {
  const call = { userId: undefined, failClosed: false };
  const at = (apiKey: string, url = api.url) => ({ api: url, apiKey });

  test('exits with 2 and the reason when a budget refuses, else with 0', async () => {
    expect(await checkCall(at(ada), call)).toEqual({ exitCode: 2, allow: false, message: reason });
    const passed = { exitCode: 0, allow: true, message: null };
    expect(await checkCall(at(bob, `${api.url}/`), call)).toEqual(passed);
    expect(await checkCall(at(key), { ...call, userId: 'ada' })).toMatchObject({ exitCode: 2 });
    expect(await checkCall(at(key), { ...call, userId: 'bob' })).toMatchObject({ exitCode: 0 });
  });

  test('passes with 1 when it cannot ask, and blocks with --fail-closed', async () => {
    const [away, unknown] = [at(ada, 'http://127.0.0.1:1'), at('ugk_wrong')];
    const reasons = [
      [away, /could not be checked: .* cannot be reached: no HTTP client may use port 1$/],
      [unknown, /answered 401 unauthorized: this key is unknown there, or was revoked or has expired$/],
      [null, /could not be checked: set GOVERNOR_API/],
    ] as const;
    for (const [target, words] of reasons) {
      const message = expect.stringMatching(words);
      expect(await checkCall(target, call)).toEqual({ exitCode: 1, allow: null, message });
      const closed = await checkCall(target, { ...call, failClosed: true });
      expect(closed).toEqual({ exitCode: 2, allow: null, message });
    }
  });
});
