import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { zstdCompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { importFolder } from '../../../packages/governor/src/import-history.ts';
import { readHistory } from '../../../packages/governor/src/read-folder.ts';
import { TOOLS, toolNamed } from '../../../packages/governor/src/readers/tools.ts';
import { sync } from '../../../packages/governor/src/sync.ts';
import { createApiKey } from '../../../shared/core/accounts/keys/api-keys.ts';
import { signalRows } from '../../../shared/core/calls/signals/model.ts';
import { readFixture, signalsOf } from '../../shared/core/calls/adapters/fixtures.ts';
import { bytesOf, requestOf } from '../../shared/core/calls/adapters/otlp-messages.ts';
import { makeSignal, makeTenant } from '../../support/factories.ts';
import { readEvents, subscribeToAll } from '../../support/webhooks.ts';
import {
  api,
  claudeLine,
  clock,
  codexLine,
  codexStep,
  GOLDEN_USAGE,
  home,
  type Json,
  makeFolder,
  NOW,
  setUpHistory,
  target,
  tenant,
  writeLines,
} from './history.ts';

const execute = promisify(execFile);
const DAY = 86_400_000;

setUpHistory();

function run(name: string, folder = home.folder) {
  return importFolder(toolNamed(name), folder, { ...target(), nowMs: clock.now() });
}

async function stored() {
  return signalRows(api.ctx).find({ org_id: tenant.orgId }).sort({ ts: 1, id: 1 }).toArray();
}

/** A call that telemetry has told already, and an earlier one of a colleague, which says nothing of this history. */
const tellLive = (adapter: string) => {
  const told = [
    { ts: NOW - 6_500, user_id: 'ada' },
    { ts: NOW - 60_000, user_id: 'bob' },
  ];
  const signals = told.map((call) => makeSignal({ ...call, adapter }));
  return api.call('/api/v1/signals', { key: tenant.key, body: { signals } });
};

async function totals() {
  const rows = await stored();
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((all, row) => all + of(row), 0);
  return {
    count: rows.length,
    tokens_in: sum((row) => row.tokens_in),
    tokens_out: sum((row) => row.tokens_out),
    cost_nusd: sum((row) => row.cost_nusd ?? 0),
  };
}

const GOLDEN = { count: 1, tokens_in: 8_512, tokens_out: 300, cost_nusd: 8_811_000 };

it.each(TOOLS)('the home of $name is where it always is when a variable is empty', (tool) => {
  const empty = { CLAUDE_CONFIG_DIR: '', CODEX_HOME: '', XDG_DATA_HOME: '' };
  expect(tool.homes('/home/ada', empty)).toEqual(tool.homes('/home/ada', {}));
  expect(tool.homes('/home/ada', empty).every((folder) => folder.startsWith('/home/ada/'))).toBe(true);
});

describe('the history of Claude Code', () => {
  const transcript = () => join(home.folder, 'projects', '-nowhere-atlas', 'session-1.jsonl');

  it('counts an answer once that spans lines and was copied by a resumed session', async () => {
    const first = { ...GOLDEN_USAGE, output_tokens: 1 };
    const middle = { ...GOLDEN_USAGE, output_tokens: 40 };
    writeLines(transcript(), [
      { type: 'user', message: { content: 'MARKED-CONTENT "usage"' } },
      claudeLine(NOW - 3_000, 'msg_1', first),
      claudeLine(NOW - 2_000, 'msg_1', middle),
      claudeLine(NOW - 1_000, 'msg_1', GOLDEN_USAGE),
      'not json "usage"',
    ]);
    const resumed = { sessionId: 'session-2' };
    writeLines(transcript().replace('session-1', 'session-2'), [
      claudeLine(NOW - 2_000, 'msg_1', middle, resumed),
    ]);
    const report = await run('claude-code');
    const left_out = { 'told by another line': 3, damaged: 1 };
    expect(report).toMatchObject({ signals: 1, accepted: 1, left_out });
    expect(await totals()).toEqual(GOLDEN);
    expect(await stored()).toMatchObject([
      {
        id: 'req_0123456789_msg_1',
        adapter: 'claude-code',
        user_id: 'ada',
        project_id: 'atlas',
        metadata: { source: 'import' },
      },
    ]);
    expect(JSON.stringify(await stored())).not.toContain('MARKED');
    const again = await run('claude-code', join(home.folder, 'projects'));
    expect(again).toMatchObject({ accepted: 0, duplicates: 1 });
    expect(await totals()).toEqual(GOLDEN);
  });

  it('counts a call whose text has a line separator of Unicode, and one in a file of Windows', async () => {
    const told = (id: string, text: string) =>
      claudeLine(NOW, id, GOLDEN_USAGE, {}, { content: [{ type: 'text', text }] });
    writeLines(transcript(), [told('msg_1', 'a\u2028b\u2029c'), `${JSON.stringify(told('msg_2', 'd'))}\r`]);
    writeFileSync(transcript().replace('session-1', 'session-2'), JSON.stringify(told('msg_3', '日本')));
    expect(await run('claude-code')).toMatchObject({ accepted: 3, left_out: {} });
  });

  it('is a duplicate of what OpenTelemetry told', async () => {
    const fixture = readFixture('claude-code');
    await fetch(`${api.url}/otlp/v1/logs`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${tenant.key}`, 'Content-Type': 'application/json' },
      body: bytesOf({ ...fixture, records: fixture.records.slice(1, 2) }, 'json'),
    });
    const same = { requestId: 'req_011CTabcdefgh' };
    writeLines(transcript(), [claudeLine(Date.parse('2026-11-22T03:00:02Z'), 'msg_1', GOLDEN_USAGE, same)]);
    expect(await run('claude-code')).toMatchObject({ duplicates: 1, accepted: 0 });
    expect((await totals()).count).toBe(1);
  });

  it.each(['relay', 'a-relay-that-has-one-long-id'])(
    'counts each answer of a gateway that calls all of them %s and gives no request id',
    async (id) => {
      const usage = (turn: number) => ({ ...GOLDEN_USAGE, cache_read_input_tokens: 8_000 + turn });
      const bare = { requestId: undefined };
      const turns = [0, 1, 2].map((turn) => claudeLine(NOW - 9_000 + turn * 1_000, id, usage(turn), bare));
      writeLines(transcript(), [...turns, turns[1] ?? '']);
      const left_out = { 'told by another line': 1 };
      expect(await run('claude-code')).toMatchObject({ accepted: 3, left_out });
      expect(await totals()).toMatchObject({ count: 3, tokens_in: 3 * 8_512 + 3 });
      expect(await run('claude-code')).toMatchObject({ accepted: 0, duplicates: 3 });
    },
  );

  it('counts the answers of sessions whose gateway gives all of them one short id and equal counts', async () => {
    const bare = (sessionId: string) => ({ requestId: 'req', sessionId });
    for (const session of ['s-1', 's-2'])
      writeLines(transcript().replace('session-1', session), [
        claudeLine(NOW, 'relay', GOLDEN_USAGE, bare(session)),
      ]);
    expect(await run('claude-code')).toMatchObject({ accepted: 2, left_out: {} });
  });

  it('takes counts as digits, and leaves uncounted what says no count', async () => {
    const line = (id: string, usage: Json) => claudeLine(NOW, id, usage as never);
    writeLines(transcript(), [
      line('digits', { input_tokens: '15', output_tokens: '20' }),
      line('null', { input_tokens: null, output_tokens: 20 }),
      line('part', { input_tokens: 12.5, output_tokens: 20 }),
      line('word', { input_tokens: 7, output_tokens: 'many' }),
      line('cache', { input_tokens: 7, output_tokens: 20, cache_read_input_tokens: -1 }),
    ]);
    expect(await run('claude-code')).toMatchObject({ accepted: 5 });
    const rows = await stored();
    const of = (name: string) => rows.find(({ id }) => id.endsWith(`_${name}`));
    expect(of('digits')).toMatchObject({ tokens_in: 15, tokens_out: 20, cost_source: 'computed' });
    for (const name of ['null', 'part', 'word', 'cache'])
      expect(of(name), name).toMatchObject({ cost_source: 'unknown', cost_nusd: null });
  });

  it('ends where OpenTelemetry began to tell for calls without a request id, which it tells under another', async () => {
    await tellLive('claude-code');
    writeLines(transcript(), [
      claudeLine(NOW - 7_000, 'msg_1', GOLDEN_USAGE, { requestId: undefined }),
      claudeLine(NOW - 6_000, 'msg_2', GOLDEN_USAGE, { requestId: undefined }),
      claudeLine(NOW - 5_000, 'msg_3', GOLDEN_USAGE),
    ]);
    const expected = { accepted: 2, left_out: { 'since OpenTelemetry tells it': 1 } };
    expect(await run('claude-code')).toMatchObject(expected);
  });

  it('leaves out what is no call, too old, orphaned or superseded, and says so', async () => {
    writeLines(transcript(), [
      claudeLine(NOW, 'msg_1', GOLDEN_USAGE, {}, { model: '<synthetic>' }),
      claudeLine(NOW, 'msg_2', GOLDEN_USAGE, { isApiErrorMessage: true }),
      claudeLine(NOW - 36 * DAY, 'msg_3', GOLDEN_USAGE),
      claudeLine(NOW - 40 * DAY, 'msg_4', GOLDEN_USAGE),
    ]);
    for (const name of ['x.orphaned-1.jsonl', 'x.superseded-1.jsonl'])
      writeLines(transcript().replace('session-1.jsonl', name), [claudeLine(NOW, name, GOLDEN_USAGE)]);
    const agent = transcript().replace('.jsonl', '/subagents/agent-1.jsonl');
    writeLines(agent, [claudeLine(NOW, 'msg_5', GOLDEN_USAGE)]);
    const left_out = { 'no call of a model': 2, 'older than 35 days': 2 };
    expect(await run('claude-code')).toMatchObject({ signals: 1, left_out });
    expect(await totals()).toEqual(GOLDEN);
  });

  it('charges an hour’s cache twice the input price', async () => {
    const usage = { ...GOLDEN_USAGE, cache_creation: { ephemeral_1h_input_tokens: 500 } };
    writeLines(transcript(), [claudeLine(NOW, 'msg_1', usage)]);
    await run('claude-code');
    // 500 tokens at $6 per million instead of $3.75.
    expect((await totals()).cost_nusd).toBe(8_811_000 + 500 * 2_250);
  });

  it('names no project after the root of a disk, and after a folder of Windows its last part', async () => {
    writeLines(transcript(), [
      claudeLine(NOW - 1, 'msg_1', GOLDEN_USAGE, { cwd: '/' }),
      claudeLine(NOW, 'msg_2', GOLDEN_USAGE, { cwd: String.raw`C:\Users\ada\atlas` }),
    ]);
    expect(await run('claude-code')).toMatchObject({ accepted: 2 });
    expect((await stored()).map(({ project_id }) => project_id)).toEqual(['unassigned', 'atlas']);
  });

  it('names the project after the repository that a folder lies in', async () => {
    const nested = join(home.folder, 'work', 'atlas', 'src', 'deep');
    mkdirSync(join(home.folder, 'work', 'atlas', '.git'), { recursive: true });
    mkdirSync(nested, { recursive: true });
    writeLines(transcript(), [claudeLine(NOW, 'msg_1', GOLDEN_USAGE, { cwd: nested })]);
    await run('claude-code', join(home.folder, 'projects'));
    expect((await stored())[0]?.project_id).toBe('atlas');
  });
});

describe('the history of Codex', () => {
  const rollout = (name: string, folder = 'sessions/2026/11/22') =>
    join(home.folder, folder, `rollout-2026-11-22T${name}.jsonl`);
  const meta = (id: string, more: Json = {}) =>
    codexLine(NOW - 9_000, 'session_meta', { id, cwd: '/nowhere/atlas', ...more });
  const turn = codexLine(NOW - 8_000, 'turn_context', { model: 'gpt-5', cwd: '/nowhere/atlas' });
  const steps = [
    codexStep(NOW - 7_000, [12_000, 8_000, 900], [12_000, 8_000, 900]),
    codexStep(NOW - 6_000, [12_000, 8_000, 900], [24_000, 16_000, 1_800]),
  ];

  it('counts each step once, also those that a fork or a sub-agent replays', async () => {
    writeLines(rollout('10-00-00-a'), [meta('a'), turn, ...steps, steps[1] ?? '']);
    const replayed = [meta('b', { forked_from_id: 'a' }), meta('a'), turn, ...steps];
    const own = codexStep(NOW - 1_000, [500, 0, 10], [24_500, 16_000, 1_810]);
    const restamped = steps.map((step) => ({ ...step, timestamp: new Date(NOW - 2_000).toISOString() }));
    writeLines(rollout('11-00-00-b'), [...replayed, ...restamped, own]);
    expect(await run('codex')).toMatchObject({ signals: 3, accepted: 3 });
    expect(await totals()).toMatchObject({ count: 3, tokens_in: 24_500, tokens_out: 1_810 });
    expect(await stored()).toMatchObject([
      { cost_nusd: 15_000_000 },
      { cost_nusd: 15_000_000 },
      { model: 'gpt-5' },
    ]);
    expect(await run('codex')).toMatchObject({ accepted: 0, duplicates: 3 });
    rmSync(rollout('10-00-00-a'));
    expect(await run('codex')).toMatchObject({ accepted: 0, duplicates: 3 });
  });

  it('takes exact records where they are, and not the steps beside them, in whichever file those are replayed', async () => {
    const usage = { input_tokens: 12_000, cached_input_tokens: 8_000, output_tokens: 900 };
    const record = (id: string) => codexLine(NOW - 5_000, 'token_usage_record', { response_id: id, usage });
    const records = ['resp_0123456789_1', 'resp_0123456789_2'].map(record);
    writeLines(rollout('10-00-00-a'), [meta('a'), turn, records[0] ?? '', ...steps, records[1] ?? '']);
    const source = { subagent: { thread_spawn: { parent_thread_id: 'a', depth: 1 } } };
    writeLines(rollout('11-00-00-b'), [meta('b', { source }), turn, ...steps]);
    await run('codex');
    expect((await stored()).map(({ id }) => id).sort()).toEqual(['resp_0123456789_1', 'resp_0123456789_2']);
  });

  it('counts a record under the model and the tier that it names itself, else under those of its turn', async () => {
    const usage = { input_tokens: 12_000, cached_input_tokens: 8_000, output_tokens: 900 };
    const record = (id: string, own: Json = {}) =>
      codexLine(NOW - 5_000, 'token_usage_record', { response_id: `resp_0123456789_${id}`, usage, ...own });
    const served = (model: string, service_tier: string) => ({ model, service_tier });
    writeLines(rollout('10-00-00-a'), [
      meta('a'),
      codexLine(NOW - 8_000, 'turn_context', served('gpt-5', 'flex')),
      record('1'),
      record('2', { model: 'gpt-5-mini' }),
      record('3', { service_tier: 'priority' }),
      record('4', served('gpt-5-nano', 'batch')),
      record('5'),
      codexLine(NOW - 6_000, 'turn_context', { model: 'gpt-4.1' }),
      record('6'),
    ]);
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
    for (const id of ['a', 'b', 'c'])
      writeLines(rollout(`1${id.charCodeAt(0) - 97}-00-00-${id}`), [meta(id), turn, one]);
    expect(await run('codex')).toMatchObject({ accepted: 3, left_out: {} });
  });

  it('counts no step that does not raise the running total, as after a compaction', async () => {
    const again = codexStep(NOW - 5_500, [4_000, 0, 0], [24_000, 16_000, 1_800]);
    writeLines(rollout('10-00-00-a'), [meta('a'), turn, ...steps, again]);
    expect(await run('codex')).toMatchObject({ accepted: 2, left_out: { 'told by another line': 1 } });
  });

  it('says which lines with usage are no calls', async () => {
    const total = { total_token_usage: { input_tokens: 5, output_tokens: 5 } };
    const line = codexLine(NOW, 'event_msg', { type: 'token_count', info: total });
    const half = '{"type":"event_msg","payload":{"type":"token_count"';
    writeLines(rollout('10-00-00-a'), [meta('a'), turn, line, half]);
    const left_out = { 'without the counts of its step': 1, damaged: 1 };
    expect(await run('codex')).toMatchObject({ signals: 0, left_out });
  });

  it('is read compressed and from the archive, the active file first', async () => {
    const lines = [meta('a'), turn, steps[0]].map((line) => JSON.stringify(line)).join('\n');
    const packed = `${rollout('10-00-00-a')}.zst`;
    mkdirSync(join(packed, '..'), { recursive: true });
    writeFileSync(packed, zstdCompressSync(Buffer.from(lines)));
    writeLines(rollout('10-00-00-a', 'archived_sessions'), [meta('a'), turn, ...steps]);
    expect(await run('codex')).toMatchObject({ signals: 1 });
    expect((await totals()).cost_nusd).toBe(15_000_000);
  });

  it('leaves out a compressed file that cannot be read', async () => {
    const gone = await readHistory(toolNamed('codex'), `${rollout('10-00-00-a')}.zst`);
    expect(gone).toEqual([{ leftOut: 'a file that cannot be read' }]);
  });

  it('ends where OpenTelemetry began to tell of its user', async () => {
    await tellLive('codex');
    writeLines(rollout('10-00-00-a'), [meta('a'), turn, ...steps]);
    const expected = { signals: 1, left_out: { 'since OpenTelemetry tells it': 1 } };
    expect(await run('codex')).toMatchObject({ ...expected, accepted: 1 });
  });
});

describe('the history of', () => {
  it('Gemini CLI counts thoughts and tools, and a message that is written again once', async () => {
    const tokens = { input: 5_000, output: 400, cached: 2_000, thoughts: 600, tool: 0, total: 6_000 };
    const of = { type: 'gemini', model: 'gemini-2.5-pro' };
    const message = { id: 'm1', timestamp: new Date(NOW).toISOString(), ...of, tokens };
    const early = { ...message, tokens: { ...tokens, output: 1, total: 5_601 } };
    const chats = join(home.folder, 'tmp', 'abc', 'chats');
    writeLines(join(chats, 'session-1.jsonl'), [{ sessionId: 's' }, early, message]);
    const old = { sessionId: 'old', messages: [message, { type: 'user', content: 'MARKED' }] };
    writeLines(join(chats, 'session-0.json'), JSON.stringify(old, null, 2).split('\n'));
    expect(await run('gemini')).toMatchObject({ signals: 2, accepted: 2 });
    expect(await totals()).toEqual({ count: 2, tokens_in: 10_000, tokens_out: 2_000, cost_nusd: 28_000_000 });
  });

  it('Gemini CLI is sent with a key that may not read, and the report says what was not compared', async () => {
    const { key } = await createApiKey(api.ctx, { org_id: tenant.orgId, scopes: ['signals:write'] });
    const call = { id: 'm1', timestamp: new Date(NOW).toISOString(), type: 'gemini', tokens: { input: 1 } };
    writeLines(join(home.folder, 'tmp/abc/chats/session-1.jsonl'), [call]);
    const options = { ...target(), apiKey: key, nowMs: NOW };
    const report = await importFolder(toolNamed('gemini'), home.folder, options);
    expect(report).toMatchObject({ accepted: 1, not_compared: ['gemini-cli'] });
    expect(await run('gemini')).not.toHaveProperty('not_compared');
  });

  it.each([
    ['Gemini CLI', 'gemini', 'gemini-cli', 'tmp/abc/chats/session-1.jsonl'],
    ['Qwen Code', 'qwen', 'qwen-code', 'projects/p/chats/s1.jsonl'],
    ['opencode', 'opencode', 'opencode', 'storage/message/ses_1/msg_1.json'],
  ])(
    '%s ends where OpenTelemetry, which has other ids, began to tell of its user',
    async (_tool, name, adapter, path) => {
      await tellLive(adapter);
      const call = (id: string, completed: number) => ({
        id,
        uuid: id,
        timestamp: new Date(completed).toISOString(),
        time: { completed },
        tokens: { input: 1, output: 1 },
        usageMetadata: { promptTokenCount: 1 },
        role: 'assistant',
        type: name === 'gemini' ? 'gemini' : 'assistant',
      });
      writeLines(join(home.folder, path), [call('m1', NOW - 6_000)]);
      writeLines(join(home.folder, path.replace('1.', '0.')), [call('m0', NOW - 7_000)]);
      expect(await run(name)).toMatchObject({ accepted: 1, left_out: { 'since OpenTelemetry tells it': 1 } });
    },
  );

  it('opencode waits for the end of an answer, which is written before it is whole', async () => {
    const file = join(home.folder, 'storage', 'message', 'ses_1', 'msg_1.json');
    const tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
    const of = { id: 'msg_1', role: 'assistant', modelID: 'gpt-5' };
    const begun = { ...of, time: { created: NOW - 9_000 }, tokens };
    writeLines(file, [begun]);
    expect(await run('opencode')).toMatchObject({ signals: 0, left_out: { 'not finished': 1 } });
    const time = { created: NOW - 9_000, completed: NOW };
    writeLines(file, [{ ...begun, time, tokens: { ...tokens, input: 12_000, output: 900 } }]);
    await run('opencode');
    expect(await totals()).toMatchObject({ count: 1, tokens_in: 12_000, tokens_out: 900 });
  });

  it('Qwen Code counts the assistant’s lines only', async () => {
    const counts = { promptTokenCount: 13_472, candidatesTokenCount: 101, thoughtsTokenCount: 24 };
    const usageMetadata = { ...counts, totalTokenCount: 13_573 };
    const of = { sessionId: 's', timestamp: new Date(NOW).toISOString(), model: 'qwen3-coder-plus' };
    const line = { uuid: 'u1', ...of, usageMetadata };
    writeLines(join(home.folder, 'projects', 'atlas', 'chats', 's.jsonl'), [
      { ...line, type: 'assistant' },
      { ...line, uuid: 'u2', type: 'system', subtype: 'ui_telemetry' },
    ]);
    await run('qwen');
    expect(await totals()).toMatchObject({ count: 1, tokens_in: 13_472, tokens_out: 101 });
  });

  it('opencode is read from its files and from its database', async () => {
    const message = (sessionID: string) => ({
      role: 'assistant',
      sessionID,
      modelID: 'claude-sonnet-4-5',
      providerID: 'anthropic',
      time: { created: NOW - 1_000, completed: NOW },
      tokens: { input: 12, output: 300, reasoning: 0, cache: { read: 8_000, write: 500 } },
      cost: 0,
    });
    const file = join(home.folder, 'storage', 'message', 'ses_1', 'msg_1.json');
    writeLines(file, [{ id: 'msg_1', ...message('ses_1') }]);
    const database = new DatabaseSync(join(home.folder, 'opencode.db'));
    database.exec('CREATE TABLE message (id TEXT, session_id TEXT, data TEXT)');
    const insert = database.prepare('INSERT INTO message VALUES (?, ?, ?)');
    insert.run('msg_0', 'ses_1', '{"half');
    insert.run('msg_1', 'ses_1', JSON.stringify(message('ses_1')));
    insert.run('msg_2', 'ses_1', JSON.stringify(message('ses_1')));
    database.close();
    await run('opencode');
    expect(await totals()).toEqual({ count: 2, tokens_in: 17_024, tokens_out: 600, cost_nusd: 17_622_000 });
  });

  it('lists each line with usage that is no call, whatever tool wrote it', async () => {
    const [usage, used] = [GOLDEN_USAGE, { tokens: { input: 5, output: 5 } }];
    const agent = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.usage.input_tokens': 5 };
    const half = (line: Json) => JSON.stringify(line).slice(0, -2);
    const cases: [string, string, (Json | string)[], Json][] = [
      [
        'claude-code',
        'projects/p/s.jsonl',
        [{ type: 'user', toolUseResult: { usage } }, half({ message: { usage } })],
        { 'no call of a model': 1, damaged: 1 },
      ],
      ['opencode', 'storage/message/ses_1/msg_1.json', [half(used)], { damaged: 1 }],
      [
        'copilot',
        'session-state/s/events.jsonl',
        [{ type: 'session.shutdown', data: { modelMetrics: { m: { usage: { inputTokens: 5 } } } } }],
        { 'no call of a model': 1 },
      ],
      ['copilot', 'otel/a.jsonl', [{ type: 'span', attributes: agent }], { 'no call of a model': 1 }],
      [
        'qwen',
        'projects/p/chats/c.jsonl',
        [{ type: 'system', systemPayload: { uiEvent: { input_token_count: 5 } } }],
        { 'told by another line': 1 },
      ],
    ];
    for (const [tool, path, lines, left_out] of cases) {
      const own = makeFolder();
      writeLines(join(own.folder, path), lines);
      expect(await run(tool, own.folder), `${tool} ${path}`).toMatchObject({ signals: 0, left_out });
      own.remove();
    }
  });

  it('a message id of a chat that repeats is none, and one that is written again is one', async () => {
    const line = (minute: number, output: number) => ({
      id: 'relay',
      sessionId: 'session-1',
      timestamp: new Date(NOW - minute * 60_000).toISOString(),
      type: 'gemini',
      model: 'gemini-2.5-pro',
      tokens: { input: 100, output, total: 100 + output },
    });
    const file = join(home.folder, 'tmp', 'shop', 'chats', 'session-1.jsonl');
    writeLines(file, [line(3, 1), line(3, 10), line(2, 10), line(1, 10)]);
    await run('gemini');
    expect(await totals()).toMatchObject({ count: 3, tokens_in: 300, tokens_out: 30 });
  });

  it('a null count in a file of Copilot CLI is no count', async () => {
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'gen_ai.usage.input_tokens': null,
      'gen_ai.usage.output_tokens': 20,
    };
    const seconds = NOW / 1_000 - 60;
    const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
    const span = { type: 'span', ...ids, name: 'chat', startTime: [seconds, 0], endTime: [seconds, 0] };
    writeLines(join(home.folder, 'otel', 'a.jsonl'), [{ ...span, attributes }]);
    const { signals, left_out } = await run('copilot');
    expect([signals, Object.values(left_out)]).toEqual([0, [1]]);
  });

  it('a message of opencode that failed is an error, without its text', async () => {
    const message = (id: string, error?: Json) => ({
      id,
      role: 'assistant',
      modelID: 'claude-sonnet-4-5',
      time: { created: NOW - 1_000, completed: NOW },
      tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
      ...(error ? { error } : {}),
    });
    const data = { statusCode: 429, message: 'MARKED-CONTENT', responseBody: 'MARKED-CONTENT' };
    const messages = [
      message('msg_0123456789_1', { name: 'APIError', data }),
      message('msg_0123456789_2', { name: 'MessageAbortedError', data: { message: 'MARKED-CONTENT' } }),
      message('msg_0123456789_3'),
    ];
    for (const each of messages)
      writeLines(join(home.folder, 'storage', 'message', 'ses_1', `${each.id}.json`), [each]);
    await run('opencode');
    const rows = await stored();
    expect(rows.map(({ error }) => error)).toEqual([
      { code: '429' },
      { code: 'MessageAbortedError' },
      undefined,
    ]);
    expect(JSON.stringify(rows)).not.toContain('MARKED-CONTENT');
  });

  it('the sessions of GitHub Copilot CLI count once, told by its telemetry too or not', async () => {
    const timestamp = new Date(NOW).toISOString();
    const [span] = signalsOf(readFixture('github-copilot')).signals;
    const usage = (apiCallId: string) => ({
      model: 'claude-sonnet-4-5',
      modelProvider: 'anthropic',
      inputTokens: 8_512,
      outputTokens: 300,
      cacheReadTokens: 8_000,
      cacheWriteTokens: 500,
      apiCallId,
    });
    const record = (id: string) => ({ type: 'session.usage_record', timestamp, data: { usage: usage(id) } });
    const session = join(home.folder, 'session-state', 'one');
    writeLines(join(session, 'events.jsonl'), [
      { type: 'session.start', timestamp, data: { sessionId: 'one', context: { cwd: '/nowhere/atlas' } } },
      { type: 'user.message', timestamp, data: { content: 'MARKED-CONTENT "session.usage_record"' } },
      record(span?.id ?? ''),
      record('msg_0000000000000002'),
    ]);
    writeLines(join(session, 'files', 'other.jsonl'), [{ any: 1 }]);
    const body = bytesOf(readFixture('github-copilot'), 'json');
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${tenant.key}` };
    await fetch(`${api.url}/otlp/v1/traces`, { method: 'POST', headers, body: new Uint8Array(body) });
    expect(await totals()).toEqual(GOLDEN);
    expect(await run('copilot')).toMatchObject({ accepted: 1, duplicates: 1, left_out: {} });
    expect(await totals()).toEqual({ count: 2, tokens_in: 17_024, tokens_out: 600, cost_nusd: 17_622_000 });
    const [imported] = (await stored()).filter(({ id }) => id === 'msg_0000000000000002');
    const metadata = { source: 'import', client_session_id: 'one' };
    expect(imported).toMatchObject({ project_id: 'atlas', metadata });
    expect(JSON.stringify(await stored())).not.toContain('MARKED-CONTENT');
  });

  it('GitHub Copilot CLI’s file exporter is read, wherever its setting puts the file', async () => {
    const seconds = Math.floor(NOW / 1_000);
    const span = (name: string, attributes: Json) => ({
      type: 'span',
      traceId: '0db1ced01ca548441108a12300e13dc9',
      spanId: '2476adcb70d62355',
      name,
      kind: 2,
      startTime: [seconds - 2, 444_000_000],
      endTime: [seconds - 1, 712_000_000],
      attributes,
      status: { code: 0 },
      resource: { attributes: { 'service.name': 'github-copilot' } },
      instrumentationScope: { name: 'github.copilot', version: '1.0.102' },
    });
    const chat = span('chat claude-sonnet-4-5', {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.response.id': 'msg_0123456789abcdef',
      'gen_ai.usage.input_tokens': 8_512,
      'gen_ai.usage.cache_read.input_tokens': 8_000,
      'gen_ai.usage.cache_write.input_tokens': 500,
      'gen_ai.usage.output_tokens': 300,
      'github.copilot.cost': 0.5,
    });
    const file = join(home.folder, 'spans');
    const around = span('invoke_agent', { 'gen_ai.operation.name': 'invoke_agent' });
    writeLines(file, [chat, { ...around, spanId: '2b9c9e1416550e75' }, { type: 'metric', name: 'tokens' }]);
    const homes = toolNamed('copilot').homes('/home/ada', { COPILOT_OTEL_FILE_EXPORTER_PATH: file });
    expect(homes).toContain(file);
    expect(await run('copilot', file)).toMatchObject({ accepted: 1, left_out: { 'no spans': 1 } });
    expect(await totals()).toEqual(GOLDEN);
    expect((await stored())[0]?.latency_ms).toBe(1_268);
  });

  it('GitHub Copilot CLI is read as spans', async () => {
    writeLines(join(home.folder, 'otel', '1.jsonl'), [
      { resourceSpans: [{ scopeSpans: [{ spans: 'damaged' }] }] },
      requestOf(readFixture('github-copilot')),
      { other: 1 },
    ]);
    const folder = join(home.folder, 'otel');
    expect(await run('copilot', folder)).toMatchObject({ accepted: 1, left_out: { 'no spans': 1 } });
    expect(await totals()).toEqual(GOLDEN);
  });
});

it('GitHub Copilot CLI’s history is of the user whom the key names, not of an e-mail in it', async () => {
  const bound = await makeTenant(api.ctx, { user_id: 'ada' });
  const fixture = readFixture('github-copilot');
  const records = fixture.records.map((record) => ({
    ...record,
    attributes: { ...record.attributes, 'user.email': 'somebody@example.com' },
  }));
  writeLines(join(home.folder, 'otel', '1.jsonl'), [requestOf({ ...fixture, records })]);
  const options = { api: api.url, apiKey: bound.key, nowMs: NOW };
  const report = await importFolder(toolNamed('copilot'), join(home.folder, 'otel'), options);
  expect(report).toMatchObject({ accepted: 1, rejected: 0 });
});

it('a folder that cannot be read keeps nothing else from being sent', async () => {
  const projects = join(home.folder, 'projects');
  writeLines(join(projects, 'mine', 's.jsonl'), [claudeLine(NOW, 'msg_1', GOLDEN_USAGE)]);
  writeLines(join(projects, 'locked', 's.jsonl'), [claudeLine(NOW, 'msg_2', GOLDEN_USAGE)]);
  chmodSync(home.folder, 0o755);
  chmodSync(join(projects, 'locked'), 0);
  const script = `import { findHistory } from './packages/governor/src/read-folder.ts';
    import { claudeCode } from './packages/governor/src/readers/claude-code.ts';
    const { files, unreadable } = await findHistory(claudeCode, [${JSON.stringify(projects)}]);
    console.log(JSON.stringify([files.length, unreadable]));`;
  // Root may read everything.
  const someone = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const args = ['--input-type=module-typescript', '-e', script];
  const { stdout } = await execute(process.execPath, args, someone);
  expect(JSON.parse(stdout)).toEqual([1, 1]);
});

describe('calls of yesterday', () => {
  const yesterday = () =>
    writeLines(join(home.folder, 'projects', 'p', 's.jsonl'), [claudeLine(NOW - DAY, 'msg_1', GOLDEN_USAGE)]);
  const eventTypes = async () => (await readEvents(api.ctx, tenant.orgId)).map(({ type }) => type).sort();
  const claude = () => toolNamed('claude-code');
  beforeEach(() => subscribeToAll(api.ctx, tenant.orgId));
  const importing = (events?: boolean) =>
    importFolder(claude(), home.folder, { ...target(), nowMs: NOW, events });
  const syncing = (events?: boolean) =>
    sync({
      ...target(),
      tools: [{ tool: claude(), folders: [home.folder] }],
      cursorFile: join(home.folder, 'cursor.json'),
      now: () => NOW,
      everyMs: 1,
      once: true,
      onReport: () => undefined,
      onAway: () => undefined,
      events,
    });

  it.each([
    ['an import', importing],
    ['a sync', syncing],
  ])('raise nothing by %s, and count; what live ones do by one that is told so', async (_what, send) => {
    yesterday();
    await send();
    expect(await totals()).toEqual(GOLDEN);
    expect(await eventTypes()).toEqual([]);
    Object.assign(tenant, await makeTenant(api.ctx));
    await subscribeToAll(api.ctx, tenant.orgId);
    await send(true);
    expect(await eventTypes()).toEqual(['session.ended', 'session.started']);
  });
});
