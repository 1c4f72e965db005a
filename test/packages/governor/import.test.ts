import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { zstdCompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { readHistory } from '../../../packages/governor/src/read-folder.ts';
import { TOOLS, toolNamed } from '../../../packages/governor/src/readers/tools.ts';
import { readFixture, signalsOf } from '../../shared/core/calls/adapters/fixtures.ts';
import { requestOf } from '../../shared/core/calls/adapters/otlp-messages.ts';
import { BOUND_SCOPES } from '../../support/factories.ts';
import { readEvents, subscribeToAll } from '../../support/webhooks.ts';
import {
  claudeLine,
  codexLine,
  codexStep,
  GOLDEN,
  GOLDEN_USAGE,
  historyFixture,
  type Json,
  NOW,
} from './history.ts';

const execute = promisify(execFile);
const DAY = 86_400_000;
const own = await historyFixture();
const { inHome, look, run, stored, totals, write } = own;

const AT = new Date(NOW).toISOString();
const TOLD = { 'since OpenTelemetry tells it': 1 };
const REPEATED = { 'told by another line': 1 };
const NO_CALL = { 'no call of a model': 1 };

/** A call that telemetry has told already, and an earlier one of a colleague, which says nothing of this history. */
const tellLive = (adapter: string) =>
  own.spend({ ts: NOW - 6_500, adapter }, { ts: NOW - 60_000, user_id: 'bob', adapter });

it.each(TOOLS)('the home of $name is where it always is when a variable is empty', (tool) => {
  const empty = { CLAUDE_CONFIG_DIR: '', CODEX_HOME: '', XDG_DATA_HOME: '' };
  expect(tool.homes('/home/ada', empty)).toEqual(tool.homes('/home/ada', {}));
  expect(tool.homes('/home/ada', empty).every((folder) => folder.startsWith('/home/ada/'))).toBe(true);
});

describe('the history of Claude Code', () => {
  const transcript = (name = 'session-1') => `projects/-nowhere-atlas/${name}.jsonl`;
  const bare = { requestId: undefined };

  it('counts an answer once that spans lines and was copied by a resumed session', async () => {
    const middle = { ...GOLDEN_USAGE, output_tokens: 40 };
    write(
      transcript(),
      { type: 'user', message: { content: 'MARKED-CONTENT "usage"' } },
      claudeLine(NOW - 3_000, 'msg_1', { ...GOLDEN_USAGE, output_tokens: 1 }),
      claudeLine(NOW - 2_000, 'msg_1', middle),
      claudeLine(NOW - 1_000, 'msg_1'),
      'not json "usage"',
    );
    write(transcript('session-2'), claudeLine(NOW - 2_000, 'msg_1', middle, { sessionId: 'session-2' }));
    const left_out = { 'told by another line': 3, damaged: 1 };
    expect(await run('claude-code')).toMatchObject({ signals: 1, accepted: 1, left_out });
    const call = { adapter: 'claude-code', user_id: 'ada', project_id: 'atlas' };
    expect(await stored()).toMatchObject([
      { id: 'req_0123456789_msg_1', ...call, metadata: { source: 'import' } },
    ]);
    expect(JSON.stringify(await stored())).not.toContain('MARKED');
    expect(await run('claude-code', 'projects')).toMatchObject({ accepted: 0, duplicates: 1 });
    expect(await totals()).toEqual(GOLDEN);
  });

  it('counts a call whose text has a line separator of Unicode, and one in a file of Windows', async () => {
    const told = (id: string, text: string) =>
      claudeLine(NOW, id, GOLDEN_USAGE, {}, { content: [{ type: 'text', text }] });
    write(transcript(), told('msg_1', 'a\u2028b\u2029c'), `${JSON.stringify(told('msg_2', 'd'))}\r`);
    writeFileSync(inHome(transcript('session-2')), JSON.stringify(told('msg_3', '日本')));
    expect(await run('claude-code')).toMatchObject({ accepted: 3, left_out: {} });
  });

  it.each(['relay', 'a-relay-that-has-one-long-id'])(
    'counts each answer of a gateway that calls all of them %s and gives no request id',
    async (id) => {
      const usage = (turn: number) => ({ ...GOLDEN_USAGE, cache_read_input_tokens: 8_000 + turn });
      const turns = [0, 1, 2, 1].map((turn) => claudeLine(NOW - 9_000 + turn * 1_000, id, usage(turn), bare));
      write(transcript(), ...turns);
      expect(await run('claude-code')).toMatchObject({ accepted: 3, left_out: REPEATED });
      expect(await totals()).toMatchObject({ count: 3, tokens_in: 3 * 8_512 + 3 });
      expect(await run('claude-code')).toMatchObject({ accepted: 0, duplicates: 3 });
    },
  );

  it('counts the answers of sessions whose gateway gives all of them one short id and equal counts', async () => {
    for (const sessionId of ['s-1', 's-2'])
      write(transcript(sessionId), claudeLine(NOW, 'relay', GOLDEN_USAGE, { requestId: 'req', sessionId }));
    expect(await run('claude-code')).toMatchObject({ accepted: 2, left_out: {} });
  });

  it('takes counts as digits, and leaves uncounted what says no count', async () => {
    const counts: [unknown, unknown, Json?][] = [
      ['15', '20'],
      [null, 20],
      [12.5, 20],
      [7, 'many'],
      [7, 20, { cache_read_input_tokens: -1 }],
    ];
    const lines = counts.map(([input_tokens, output_tokens, more], at) =>
      claudeLine(NOW + at, `msg_${at}`, { input_tokens, output_tokens, ...more }),
    );
    write(transcript(), ...lines);
    expect(await run('claude-code')).toMatchObject({ accepted: 5 });
    const uncounted = counts.slice(1).map(() => ({ cost_source: 'unknown', cost_nusd: null }));
    const digits = { tokens_in: 15, tokens_out: 20, cost_source: 'computed' };
    expect(await stored()).toMatchObject([digits, ...uncounted]);
  });

  it('ends where OpenTelemetry began to tell for calls without a request id, which it tells under another', async () => {
    await tellLive('claude-code');
    write(
      transcript(),
      claudeLine(NOW - 7_000, 'msg_1', GOLDEN_USAGE, bare),
      claudeLine(NOW - 6_000, 'msg_2', GOLDEN_USAGE, bare),
      claudeLine(NOW - 5_000, 'msg_3'),
    );
    expect(await run('claude-code')).toMatchObject({ accepted: 2, left_out: TOLD });
  });

  it('leaves out what is no call, too old, orphaned or superseded, and says so', async () => {
    write(
      transcript(),
      claudeLine(NOW, 'msg_1', GOLDEN_USAGE, {}, { model: '<synthetic>' }),
      claudeLine(NOW, 'msg_2', GOLDEN_USAGE, { isApiErrorMessage: true }),
      claudeLine(NOW - 36 * DAY, 'msg_3'),
      claudeLine(NOW - 40 * DAY, 'msg_4'),
    );
    for (const name of ['x.orphaned-1', 'x.superseded-1']) write(transcript(name), claudeLine(NOW, name));
    write(transcript('session-1/subagents/agent-1'), claudeLine(NOW, 'msg_5'));
    const left_out = { 'no call of a model': 2, 'older than 35 days': 2 };
    expect(await run('claude-code')).toMatchObject({ signals: 1, left_out });
    expect(await totals()).toEqual(GOLDEN);
  });

  it('names the project after the repository or the folder, also of Windows, and none after the root of a disk', async () => {
    const nested = inHome('work', 'shop', 'src', 'deep');
    for (const folder of [nested, inHome('work', 'shop', '.git')]) mkdirSync(folder, { recursive: true });
    const folders = ['/', String.raw`C:\Users\ada\atlas`, nested];
    const lines = folders.map((cwd, at) => claudeLine(NOW + at, `msg_${at}`, GOLDEN_USAGE, { cwd }));
    write(transcript(), ...lines);
    await run('claude-code', 'projects');
    expect((await stored()).map(({ project_id }) => project_id)).toEqual(['unassigned', 'atlas', 'shop']);
  });

  const SENT = { input_tokens: 100_000, output_tokens: 10_000 };
  const iterations = ['compaction', 'message'].map((type) => ({ type, ...SENT }));
  const hourOf = (tokens: number) => ({
    cache_creation_input_tokens: tokens,
    cache_creation: { ephemeral_1h_input_tokens: tokens },
  });
  const SERVED: [how: string, usage: Json, nusd: number | null, model?: string][] = [
    ['fast mode', { speed: 'fast' }, 1_500_000_000],
    ['standard speed', { speed: 'standard', service_tier: 'standard' }, 750_000_000],
    ['fast mode that is billed as standard', { speed: 'fast' }, 750_000_000, 'claude-opus-4-6'],
    ['fast mode of a model that has none', { speed: 'fast' }, null, 'claude-sonnet-4-5'],
    ['a tier and fast mode', { speed: 'fast', service_tier: 'priority' }, null],
    ['the batch tier', { service_tier: 'batch' }, 375_000_000],
    ['the United States', { inference_geo: 'us' }, 825_000_000],
    ['anywhere', { inference_geo: 'global' }, 750_000_000],
    ['nowhere known', { inference_geo: 'not_available' }, 750_000_000],
    ['searches', { server_tool_use: { web_search_requests: 5, web_fetch_requests: 2 } }, 800_000_000],
    ['searches that are no count', { server_tool_use: { web_search_requests: 1.5 } }, null],
    ['tools without a fee', { server_tool_use: { moon_walk_requests: 1 } }, null],
    ['a cache for an hour', hourOf(500), 300_000_000 + 150_000_000 + 500 * 6_000, 'claude-sonnet-4-5'],
    ['the same above 200,000 tokens', hourOf(250_000), 3_825_000_000, 'claude-sonnet-4-5'],
    ['the compactions that an answer needed', { iterations }, 1_500_000_000],
  ];

  it('is priced as each of its lines says that the call was served', async () => {
    const lines = SERVED.map(([how, usage, , model = 'claude-opus-4-8'], at) =>
      claudeLine(NOW - 1_000 + at, how, { ...SENT, ...usage }, {}, { model }),
    );
    write(transcript(), ...lines);
    await run('claude-code');
    const costs = (await stored()).map(({ cost_nusd }, at) => [SERVED[at]?.[0], cost_nusd]);
    expect(costs).toEqual(SERVED.map(([how, , nusd]) => [how, nusd]));
  });

  it('keeps how a call was served, without a reported cost', async () => {
    const cache = { ephemeral_1h_input_tokens: 4, ephemeral_5m_input_tokens: 6 };
    const served = { speed: 'fast', inference_geo: 'us', server_tool_use: { web_search_requests: 1 } };
    const usage = { ...SENT, ...served, cache_creation_input_tokens: 10, cache_creation: cache };
    write(transcript(), claudeLine(NOW, 'msg_1', usage, {}, { model: 'claude-opus-4-8' }));
    await run('claude-code');
    const kept = {
      service_tier: 'fast',
      region: 'us',
      cache_write_1h_tokens: 4,
      tool_uses: { web_search: 1 },
    };
    expect(await stored()).toMatchObject([{ ...kept, cost_source: 'computed' }]);
  });
});

describe('the history of Codex', () => {
  const rollout = (name: string, folder = 'sessions/2026/11/22') =>
    `${folder}/rollout-2026-11-22T${name}.jsonl`;
  const meta = (id: string, more: Json = {}) =>
    codexLine(NOW - 9_000, 'session_meta', { id, cwd: '/nowhere/atlas', ...more });
  const turnOf = (more: Json) => codexLine(NOW - 8_000, 'turn_context', { cwd: '/nowhere/atlas', ...more });
  const turn = turnOf({ model: 'gpt-5' });
  const first = codexStep(NOW - 7_000, [12_000, 8_000, 900], [12_000, 8_000, 900]);
  const second = codexStep(NOW - 6_000, [12_000, 8_000, 900], [24_000, 16_000, 1_800]);
  const usage = { input_tokens: 12_000, cached_input_tokens: 8_000, output_tokens: 900 };
  const record = (id: number, more: Json = {}) =>
    codexLine(NOW - 5_000, 'token_usage_record', { response_id: `resp_0123456789_${id}`, usage, ...more });

  it('counts each step once, also those that a fork or a sub-agent replays', async () => {
    write(rollout('10-00-00-a'), meta('a'), turn, first, second, second);
    const forked = codexStep(NOW - 1_000, [500, 0, 10], [24_500, 16_000, 1_810]);
    const restamped = [first, second].map((step) => ({
      ...step,
      timestamp: new Date(NOW - 2_000).toISOString(),
    }));
    const replayed = [meta('b', { forked_from_id: 'a' }), meta('a'), turn, first, second];
    write(rollout('11-00-00-b'), ...replayed, ...restamped, forked);
    expect(await run('codex')).toMatchObject({ signals: 3, accepted: 3 });
    expect(await totals()).toMatchObject({ count: 3, tokens_in: 24_500, tokens_out: 1_810 });
    const whole = { cost_nusd: 15_000_000 };
    expect(await stored()).toMatchObject([whole, whole, { model: 'gpt-5' }]);
    expect(await run('codex')).toMatchObject({ accepted: 0, duplicates: 3 });
    rmSync(inHome(rollout('10-00-00-a')));
    expect(await run('codex')).toMatchObject({ accepted: 0, duplicates: 3 });
  });

  it('takes exact records where they are, and not the steps beside them, in whichever file those are replayed', async () => {
    write(rollout('10-00-00-a'), meta('a'), turn, record(1), first, second, record(2));
    const source = { subagent: { thread_spawn: { parent_thread_id: 'a', depth: 1 } } };
    write(rollout('11-00-00-b'), meta('b', { source }), turn, first, second);
    await run('codex');
    expect((await stored()).map(({ id }) => id).sort()).toEqual(['resp_0123456789_1', 'resp_0123456789_2']);
  });

  it('counts a record under the model and the tier that it names itself, else under those of its turn', async () => {
    write(
      rollout('10-00-00-a'),
      meta('a'),
      turnOf({ model: 'gpt-5', service_tier: 'flex' }),
      record(1),
      record(2, { model: 'gpt-5-mini' }),
      record(3, { service_tier: 'priority' }),
      record(4, { model: 'gpt-5-nano', service_tier: 'batch' }),
      record(5),
      turnOf({ model: 'gpt-4.1' }),
      record(6),
    );
    await run('codex');
    expect((await stored()).map(({ id, model, service_tier }) => [id.at(-1), model, service_tier])).toEqual([
      ['1', 'gpt-5', 'flex'],
      ['2', 'gpt-5-mini', 'flex'],
      ['3', 'gpt-5', 'priority'],
      ['4', 'gpt-5-nano', 'batch'],
      ['5', 'gpt-5', 'flex'],
      ['6', 'gpt-4.1', 'flex'],
    ]);
  });

  it('counts the calls of sessions with equal counts that have no parent in common', async () => {
    const one = codexStep(NOW - 5_000, [10_240, 9_216, 6], [10_240, 9_216, 6]);
    for (const [hour, id] of ['a', 'b', 'c'].entries())
      write(rollout(`1${hour}-00-00-${id}`), meta(id), turn, one);
    expect(await run('codex')).toMatchObject({ accepted: 3, left_out: {} });
  });

  it('counts no step that does not raise the running total, as after a compaction', async () => {
    const again = codexStep(NOW - 5_500, [4_000, 0, 0], [24_000, 16_000, 1_800]);
    write(rollout('10-00-00-a'), meta('a'), turn, first, second, again);
    expect(await run('codex')).toMatchObject({ accepted: 2, left_out: REPEATED });
  });

  it('is read compressed and from the archive, the active file first', async () => {
    const lines = [meta('a'), turn, first].map((line) => JSON.stringify(line)).join('\n');
    const packed = inHome(`${rollout('10-00-00-a')}.zst`);
    mkdirSync(dirname(packed), { recursive: true });
    writeFileSync(packed, zstdCompressSync(Buffer.from(lines)));
    write(rollout('10-00-00-a', 'archived_sessions'), meta('a'), turn, first, second);
    expect(await run('codex')).toMatchObject({ signals: 1 });
    expect((await totals()).cost_nusd).toBe(15_000_000);
    const gone = await readHistory(toolNamed('codex'), inHome('gone.zst'));
    expect(gone).toEqual([{ leftOut: 'a file that cannot be read' }]);
  });

  it('ends where OpenTelemetry began to tell of its user', async () => {
    await tellLive('codex');
    write(rollout('10-00-00-a'), meta('a'), turn, first, second);
    expect(await run('codex')).toMatchObject({ signals: 1, accepted: 1, left_out: TOLD });
  });
});

describe('the history of', () => {
  const CHAT = 'tmp/abc/chats/session-1.jsonl';
  const gemini = (id: string, ts: number, tokens: Json) => ({
    id,
    sessionId: 'session-1',
    timestamp: new Date(ts).toISOString(),
    type: 'gemini',
    model: 'gemini-2.5-pro',
    tokens,
  });

  it('Gemini CLI counts thoughts and tools, also of its older documents', async () => {
    const tokens = { input: 5_000, output: 400, cached: 2_000, thoughts: 600, tool: 0, total: 6_000 };
    const message = gemini('m1', NOW, tokens);
    write(CHAT, { sessionId: 's' }, message);
    const old = { sessionId: 'old', messages: [message, { type: 'user', content: 'MARKED' }] };
    write('tmp/abc/chats/session-0.json', ...JSON.stringify(old, null, 2).split('\n'));
    expect(await run('gemini')).toMatchObject({ signals: 2, accepted: 2 });
    expect(await totals()).toEqual({ count: 2, tokens_in: 10_000, tokens_out: 2_000, cost_nusd: 28_000_000 });
  });

  it('Gemini CLI is sent with a key that may not read, and the report says what was not compared', async () => {
    write(CHAT, gemini('m1', NOW, { input: 1 }));
    const apiKey = await own.keyOf(null, ['signals:write']);
    const report = await run('gemini', '', { apiKey, userId: 'ada' });
    expect(report).toMatchObject({ accepted: 1, not_compared: ['gemini-cli'] });
    expect(await run('gemini')).not.toHaveProperty('not_compared');
  });

  it.each([
    ['Gemini CLI', 'gemini', 'gemini-cli', CHAT],
    ['Qwen Code', 'qwen', 'qwen-code', 'projects/p/chats/s1.jsonl'],
    ['opencode', 'opencode', 'opencode', 'storage/message/ses_1/msg_1.json'],
  ])(
    '%s ends where OpenTelemetry, which has other ids, began to tell of its user',
    async (_tool, name, adapter, path) => {
      await tellLive(adapter);
      const call = (id: string, completed: number) => ({
        ...gemini(id, completed, { input: 1, output: 1 }),
        uuid: id,
        time: { completed },
        usageMetadata: { promptTokenCount: 1 },
        role: 'assistant',
        type: name === 'gemini' ? 'gemini' : 'assistant',
      });
      write(path, call('m1', NOW - 6_000));
      write(path.replace('1.', '0.'), call('m0', NOW - 7_000));
      expect(await run(name)).toMatchObject({ accepted: 1, left_out: TOLD });
    },
  );

  it('a message id of a chat that repeats is none, and one that is written again is one', async () => {
    const line = (minute: number, output: number) =>
      gemini('relay', NOW - minute * 60_000, { input: 100, output, total: 100 + output });
    write(CHAT, line(3, 1), line(3, 10), line(2, 10), line(1, 10));
    await run('gemini');
    expect(await totals()).toMatchObject({ count: 3, tokens_in: 300, tokens_out: 30 });
  });

  it('Qwen Code counts the assistant’s lines only', async () => {
    const counts = { promptTokenCount: 13_472, candidatesTokenCount: 101, thoughtsTokenCount: 24 };
    const usageMetadata = { ...counts, totalTokenCount: 13_573 };
    const line = { sessionId: 's', timestamp: AT, model: 'qwen3-coder-plus', usageMetadata };
    const repeat = { uuid: 'u2', ...line, type: 'system', subtype: 'ui_telemetry' };
    write('projects/atlas/chats/s.jsonl', { uuid: 'u1', ...line, type: 'assistant' }, repeat);
    await run('qwen');
    expect(await totals()).toMatchObject({ count: 1, tokens_in: 13_472, tokens_out: 101 });
  });

  /** A message of opencode that took the golden call. */
  const opencode = (id: string, more: Json = {}) => ({
    id,
    role: 'assistant',
    sessionID: 'ses_1',
    modelID: 'claude-sonnet-4-5',
    providerID: 'anthropic',
    time: { created: NOW - 1_000, completed: NOW },
    tokens: { input: 12, output: 300, reasoning: 0, cache: { read: 8_000, write: 500 } },
    cost: 0,
    ...more,
  });
  const messageFile = (id: string) => `storage/message/ses_1/${id}.json`;
  const TWO_GOLDEN = { count: 2, tokens_in: 17_024, tokens_out: 600, cost_nusd: 17_622_000 };

  it('opencode is read from its files and from its database', async () => {
    write(messageFile('msg_1'), opencode('msg_1'));
    const database = new DatabaseSync(inHome('opencode.db'));
    database.exec('CREATE TABLE message (id TEXT, session_id TEXT, data TEXT)');
    const insert = database.prepare('INSERT INTO message VALUES (?, ?, ?)');
    const { id: _, sessionID: _session, ...data } = opencode('');
    insert.run('msg_0', 'ses_1', '{"half');
    for (const id of ['msg_1', 'msg_2']) insert.run(id, 'ses_1', JSON.stringify(data));
    database.close();
    await run('opencode');
    expect(await totals()).toEqual(TWO_GOLDEN);
  });

  it('a message of opencode that failed is an error, without its text', async () => {
    const message = 'MARKED-CONTENT';
    const errors = [
      { name: 'APIError', data: { statusCode: 429, message, responseBody: message } },
      { name: 'MessageAbortedError', data: { message } },
      undefined,
    ];
    for (const [at, error] of errors.entries()) {
      const id = `msg_0123456789_${at}`;
      write(messageFile(id), opencode(id, error && { error }));
    }
    await run('opencode');
    const rows = await stored();
    const codes = [{ code: '429' }, { code: 'MessageAbortedError' }, undefined];
    expect(rows.map(({ error }) => error)).toEqual(codes);
    expect(JSON.stringify(rows)).not.toContain(message);
  });

  const seconds = Math.floor(NOW / 1_000);
  /** A span of Copilot CLI’s file exporter (1.0.102) that took 1.268 s. */
  const span = (attributes: Json, spanId = 'b'.repeat(16)) => ({
    type: 'span',
    traceId: 'a'.repeat(32),
    spanId,
    name: 'chat claude-sonnet-4-5',
    kind: 2,
    startTime: [seconds - 2, 444_000_000],
    endTime: [seconds - 1, 712_000_000],
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'gen_ai.response.id': 'msg_0123456789abcdef',
      ...attributes,
    },
    status: { code: 0 },
    resource: { attributes: { 'service.name': 'github-copilot' } },
    instrumentationScope: { name: 'github.copilot', version: '1.0.102' },
  });
  const agent = { 'gen_ai.operation.name': 'invoke_agent' };

  it('the sessions of GitHub Copilot CLI count once, told by its telemetry too or not', async () => {
    const telemetry = readFixture('github-copilot');
    const usage = {
      model: 'claude-sonnet-4-5',
      modelProvider: 'anthropic',
      inputTokens: 8_512,
      outputTokens: 300,
      cacheReadTokens: 8_000,
      cacheWriteTokens: 500,
    };
    const event = (type: string, data: Json) => ({ type: `session.${type}`, timestamp: AT, data });
    const record = (apiCallId?: string) => event('usage_record', { usage: { ...usage, apiCallId } });
    write(
      'session-state/one/events.jsonl',
      event('start', { sessionId: 'one', context: { cwd: '/nowhere/atlas' } }),
      { type: 'user.message', timestamp: AT, data: { content: 'MARKED-CONTENT "session.usage_record"' } },
      record(signalsOf(telemetry).signals[0]?.id),
      record('msg_0000000000000002'),
    );
    write('session-state/one/files/other.jsonl', { any: 1 });
    await own.tell(telemetry);
    expect(await totals()).toEqual(GOLDEN);
    expect(await run('copilot')).toMatchObject({ accepted: 1, duplicates: 1, left_out: {} });
    expect(await totals()).toEqual(TWO_GOLDEN);
    const imported = (await stored()).find(({ id }) => id === 'msg_0000000000000002');
    const metadata = { source: 'import', client_session_id: 'one' };
    expect(imported).toMatchObject({ project_id: 'atlas', metadata });
    expect(JSON.stringify(await stored())).not.toContain('MARKED-CONTENT');
  });

  it('GitHub Copilot CLI’s file exporter is read, wherever its setting puts the file', async () => {
    const chat = span({
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 8_512,
      'gen_ai.usage.cache_read.input_tokens': 8_000,
      'gen_ai.usage.cache_write.input_tokens': 500,
      'gen_ai.usage.output_tokens': 300,
      'github.copilot.cost': 0.5,
    });
    write('spans', chat, span(agent, 'c'.repeat(16)), { type: 'metric', name: 'tokens' });
    const env = { COPILOT_OTEL_FILE_EXPORTER_PATH: inHome('spans') };
    expect(toolNamed('copilot').homes('/home/ada', env)).toContain(inHome('spans'));
    expect(await run('copilot', 'spans')).toMatchObject({ accepted: 1, left_out: { 'no spans': 1 } });
    expect(await totals()).toEqual(GOLDEN);
    expect((await stored())[0]?.latency_ms).toBe(1_268);
  });

  it('GitHub Copilot CLI is read as spans, of the user whom the key names, not of an e-mail in it', async () => {
    const telemetry = readFixture('github-copilot');
    const records = telemetry.records.map((record) => ({
      ...record,
      attributes: { ...record.attributes, 'user.email': 'somebody@example.com' },
    }));
    const damaged = { resourceSpans: [{ scopeSpans: [{ spans: 'damaged' }] }] };
    write('otel/1.jsonl', damaged, requestOf({ ...telemetry, records }), { other: 1 });
    const as = { apiKey: await own.keyOf('ada', [...BOUND_SCOPES]), userId: undefined };
    const report = await run('copilot', 'otel', as);
    expect(report).toMatchObject({ accepted: 1, rejected: 0, left_out: { 'no spans': 1 } });
    expect(await totals()).toEqual(GOLDEN);
  });

  it('any tool lists each line with usage that is no call', async () => {
    const [usage, used] = [GOLDEN_USAGE, { tokens: { input: 5, output: 5 } }];
    const begun = { created: NOW - 9_000 };
    const NO_COUNT = { 'gen_ai.usage.input_tokens: must be a number from 0 to 2^53': 1 };
    const half = (line: Json) => JSON.stringify(line).slice(0, -2);
    const metrics = { modelMetrics: { m: { usage: { inputTokens: 5 } } } };
    const total = { type: 'token_count', info: { total_token_usage: { input_tokens: 5 } } };
    const toolUse = { type: 'user', toolUseResult: { usage } };
    const event = { type: 'system', systemPayload: { uiEvent: { input_token_count: 5 } } };
    const cases: [tool: string, path: string, left_out: Json, ...(Json | string)[]][] = [
      [
        'claude-code',
        'projects/p/s.jsonl',
        { ...NO_CALL, damaged: 1 },
        toolUse,
        half({ message: { usage } }),
      ],
      [
        'codex',
        'sessions/rollout-1-a.jsonl',
        { 'without the counts of its step': 1, damaged: 1 },
        codexLine(NOW, 'event_msg', total),
        half({ type: 'event_msg', payload: { type: 'token_count' } }),
      ],
      ['opencode', messageFile('msg_1'), { damaged: 1 }, half(used)],
      ['opencode', messageFile('msg_2'), { 'not finished': 1 }, opencode('msg_2', { time: begun })],
      ['copilot', 'session-state/s/events.jsonl', NO_CALL, { type: 'session.shutdown', data: metrics }],
      ['copilot', 'otel/a.jsonl', NO_CALL, span({ ...agent, 'gen_ai.usage.input_tokens': 5 })],
      ['copilot', 'otel/b.jsonl', NO_COUNT, span({ 'gen_ai.usage.input_tokens': null })],
      ['qwen', 'projects/p/chats/c.jsonl', REPEATED, event],
    ];
    for (const [at, [tool, path, left_out, ...lines]] of cases.entries()) {
      write(`${at}/${path}`, ...lines);
      expect(await run(tool, `${at}`), `${tool} ${path}`).toMatchObject({ signals: 0, left_out });
    }
  });
});

it('a folder that cannot be read keeps nothing else from being sent', async () => {
  for (const name of ['mine', 'locked']) write(`${name}/s.jsonl`, claudeLine(NOW, name));
  chmodSync(inHome(), 0o755);
  chmodSync(inHome('locked'), 0);
  const script = `import { findHistory } from './packages/governor/src/read-folder.ts';
    import { claudeCode } from './packages/governor/src/readers/claude-code.ts';
    const { files, unreadable } = await findHistory(claudeCode, [${JSON.stringify(inHome())}]);
    console.log(JSON.stringify([files.length, unreadable]));`;
  // Root may read everything.
  const someone = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const args = ['--input-type=module-typescript', '-e', script];
  const { stdout } = await execute(process.execPath, args, someone);
  expect(JSON.parse(stdout)).toEqual([1, 1]);
});

describe('calls of yesterday', () => {
  beforeEach(() => write('projects/p/s.jsonl', claudeLine(NOW - DAY, 'msg_1')));

  it.each([
    ['an import', (events?: boolean) => run('claude-code', '', { events })],
    ['a sync', (events?: boolean) => look([], { 'claude-code': [''] }, { events })],
  ])('raise nothing by %s, and count; what live ones do by one that is told so', async (_what, send) => {
    const eventTypes = async () => (await readEvents(own.ctx, own.orgId)).map(({ type }) => type).sort();
    await subscribeToAll(own.ctx, own.orgId);
    await send();
    expect(await totals()).toEqual(GOLDEN);
    expect(await eventTypes()).toEqual([]);
    Object.assign(own, await own.tenant());
    await subscribeToAll(own.ctx, own.orgId);
    await send(true);
    expect(await eventTypes()).toEqual(['session.ended', 'session.started']);
  });
});
