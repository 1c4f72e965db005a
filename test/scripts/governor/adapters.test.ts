import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { signalRows } from '../../../shared/core/calls/signals/model.ts';
import { claudeLine, GOLDEN_USAGE, makeFolder, writeLines } from '../../packages/governor/history.ts';
import { readFixture } from '../../shared/core/calls/adapters/fixtures.ts';
import { bytesOf } from '../../shared/core/calls/adapters/otlp-messages.ts';
import { commandLine } from '../../support/command-line.ts';
import { makeSignal } from '../../support/factories.ts';
import { fixture } from '../../support/fixture.ts';

const execute = promisify(execFile);
const own = await fixture();
const { api, tenant } = own;
const { run, governor, failure } = commandLine(own.env);
const home = makeFolder();
afterAll(() => home.remove());

/** The output that a person sees, without `--json`. */
async function printed(...args: string[]): Promise<string> {
  return (await run(...args)).stdout;
}

describe('governor connect', () => {
  it('prints settings with which a tool is counted, and says whom the key may report', async () => {
    const { orgId, key } = await tenant();
    const args = ['claude-code', '--org', orgId, '--api', api.url, '--project-id', 'at las'];
    const bound = await printed('connect', ...args, '--user-id', 'ada');
    const lines = bound.trim().split('\n');
    expect(lines[0]).toBe('# This key reports ada only.');
    expect(lines[1]).toMatch(new RegExp(`^# Key \\w+ of ${orgId}\\.$`));
    const settings = new Map(lines.slice(3).map((line) => line.split(/=(.*)/s) as [string, string]));
    expect(Object.fromEntries(settings)).toMatchObject({
      CLAUDE_CODE_ENABLE_TELEMETRY: '1',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: `${api.url}/otlp`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_RESOURCE_ATTRIBUTES: 'project.id=at%20las',
    });
    const [name = '', value = ''] = (settings.get('OTEL_EXPORTER_OTLP_HEADERS') ?? '').split(/=(.*)/s);
    const fixture = readFixture('claude-code');
    const now = new Date().toISOString();
    const records = fixture.records
      .slice(1, 2)
      .map((record) => ({ ...record, attributes: { ...record.attributes, 'event.timestamp': now } }));
    const response = await fetch(`${settings.get('OTEL_EXPORTER_OTLP_ENDPOINT')}/v1/logs`, {
      method: 'POST',
      headers: { [name]: decodeURIComponent(value), 'Content-Type': 'application/x-protobuf' },
      body: bytesOf({ ...fixture, records }, 'protobuf'),
    });
    expect(response.status).toBe(200);
    const { body } = await api.call('/api/v1/sessions', { key });
    expect(body.data).toMatchObject([{ user_id: 'ada', adapter: 'claude-code', signal_count: 1 }]);
  });

  it('takes the first organization, and tells that an unbound key may report anyone', async () => {
    const made = await governor('connect', 'gemini', '--api', 'https://governor.example/');
    expect(made).toMatchObject({
      tool: 'gemini',
      user_id: null,
      note: expect.stringContaining('bound to no user'),
    });
    expect(made.settings).toContain('GEMINI_TELEMETRY_OTLP_ENDPOINT=https://governor.example/otlp');
    const toml = await printed('connect', 'codex', '--api', 'https://governor.example');
    expect(toml).toContain(
      '# Put this into ~/.codex/config.toml.\n[otel]\nexporter = { otlp-http = { endpoint = "https://governor.example/otlp/v1/logs"',
    );
    expect((await failure('connect', 'cursor')).stderr).toContain('claude-code, codex');
    const qwen = await governor('connect', 'qwen', '--api', 'https://governor.example');
    expect(qwen.settings).toContain('QWEN_TELEMETRY_OTLP_ENDPOINT=https://governor.example/otlp');
    const unusable = await failure('connect', 'otel', '--api', 'governor.example');
    expect(unusable.stderr).toContain('It must be like https://governor.example.com.');
    // As a shell gives a variable that is not set.
    const nobody = await failure('connect', 'otel', '--api', 'https://governor.example', '--user-id', '');
    expect(nobody.stderr).toContain('user_id: must not be empty');
  });
});

describe('governor import', () => {
  it('takes what ccusage prints, a priced signal per session and model', async () => {
    const { key, orgId } = await tenant();
    const part = (modelName: string, cost: number) => ({
      modelName,
      inputTokens: 12,
      outputTokens: 300,
      cacheCreationTokens: 500,
      cacheReadTokens: 8_000,
      cost,
    });
    const session = {
      agent: 'codex',
      period: 'session-a',
      metadata: { lastActivity: new Date().toISOString() },
      modelBreakdowns: [part('gpt-5', 0.5), part('gpt-5-mini', 0.25)],
    };
    const old = { ...session, period: 'old', metadata: { lastActivity: '2020-01-01' } };
    const file = join(home.folder, 'ccusage.json');
    writeFileSync(file, JSON.stringify({ session: [session, old] }));
    const args = ['import', 'ccusage', file, '--api', api.url, '--key', key, '--user-id', 'ada'];
    const expected = { signals: 2, accepted: 2, left_out: { 'older than 35 days': 2 } };
    expect(await governor(...args)).toMatchObject(expected);
    expect(await governor(...args)).toMatchObject({ accepted: 0, duplicates: 2 });
    const signals = await signalRows(api.ctx).find({ org_id: orgId }).sort({ cost_nusd: 1 }).toArray();
    expect(signals).toMatchObject([
      { adapter: 'codex', model: 'gpt-5-mini', tokens_in: 8_512, cost_nusd: 250_000_000 },
      { adapter: 'codex', model: 'gpt-5', tokens_in: 8_512, cost_nusd: 500_000_000 },
    ]);
    writeFileSync(file, '{"daily": []}');
    expect((await failure(...args)).stderr).toContain('ccusage session --json');
    writeFileSync(file, '{"half');
    expect((await failure(...args)).stderr).toContain('ccusage session --json');
    writeFileSync(file, `\uFEFF${JSON.stringify({ session: [session] })}`);
    expect(await governor(...args)).toMatchObject({ duplicates: 2 });
  });

  it('takes lines of signals, says what the api refused, and fails then', async () => {
    const { key } = await tenant();
    const file = join(home.folder, 'signals.ndjson');
    const signals = [
      makeSignal({ ts: Date.now() }),
      makeSignal({ ts: Date.now(), tokens_in: -1 }),
      { tokens_in: 1 },
      { tokens_in: 2 },
    ];
    writeFileSync(file, `${signals.map((signal) => JSON.stringify(signal)).join('\n')}\nno json\n`);
    const { stdout } = await failure('import', 'ndjson', file, '--api', api.url, '--key', key);
    expect(JSON.parse(stdout)).toMatchObject({
      signals: 4,
      accepted: 1,
      rejected: 3,
      rejected_codes: { invalid_signal: 3 },
      left_out: { 'no JSON object': 1 },
    });
  });

  it('sends more than a request may hold in several', async () => {
    const { key } = await tenant();
    const file = join(home.folder, 'large.ndjson');
    const pairs = Array.from({ length: 30 }, (_, index) => [`pair-${index}`, 'ü'.repeat(250)]);
    const metadata = Object.fromEntries(pairs);
    const signals = Array.from({ length: 100 }, () => makeSignal({ ts: Date.now(), metadata }));
    writeFileSync(file, signals.map((signal) => JSON.stringify(signal)).join('\n'));
    const sent = governor('import', 'ndjson', file, '--api', `${api.url}/`, '--key', key);
    expect(await sent).toMatchObject({ signals: 100, accepted: 100 });
  });

  it.each([
    ['import', 'claude-code', home.folder],
    ['sync', '--once', '--cursor', join(home.folder, 'cursor.json')],
    ['check'],
  ])('%s says what is wrong with an address or a key, and never the key', async (...args) => {
    const key = 'ugk_one\nugk_two';
    const wrongKey = commandLine({
      GOVERNOR_API: api.url,
      GOVERNOR_API_KEY: key,
      CLAUDE_CONFIG_DIR: history(),
    });
    const { stderr } = await wrongKey.failure(...args);
    expect(stderr).toContain('The API key holds characters that no key has.');
    expect(stderr).not.toContain('ugk_');
    const wrongApi = commandLine({
      GOVERNOR_API: 'localhost:8080',
      GOVERNOR_API_KEY: 'ugk_one',
      CLAUDE_CONFIG_DIR: history(),
    });
    expect((await wrongApi.failure(...args)).stderr).toContain('must be like https://governor.example.com');
  });
});

it('governor check ends when its patience does, though the resolver hangs', async () => {
  const hanging = join(home.folder, 'hanging.mjs');
  // As an operating system's resolver, which nobody can call off.
  writeFileSync(
    hanging,
    `import dns from 'node:dns';
    dns.lookup = (...args) => setTimeout(() => (console.log('resolved'), args.at(-1)(new Error('late'))), 20_000);`,
  );
  const env = {
    PATH: process.env.PATH,
    GOVERNOR_API: 'http://governor.example',
    GOVERNOR_API_KEY: 'ugk_one',
  };
  const args = ['--import', hanging, 'packages/governor/src/main.ts', 'check', '--fail-closed'];
  const { code, stdout, stderr } = await execute(process.execPath, args, { env }).catch((error) => error);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('budgets could not be checked');
});

it('governor sync says where it looked when there is no history', async () => {
  const env = {
    PATH: process.env.PATH,
    HOME: home.folder,
    GOVERNOR_API: api.url,
    GOVERNOR_API_KEY: 'ugk_one',
  };
  const args = ['packages/governor/src/main.ts', 'sync', '--once', '--tool', 'codex'];
  const { stderr } = await execute(process.execPath, args, { env });
  expect(stderr).toContain(join(home.folder, '.codex', 'sessions'));
});

/** A home of Claude Code with one call. */
function history(): string {
  writeLines(join(home.folder, 'projects', 's.jsonl'), [claudeLine(Date.now(), 'msg_1', GOLDEN_USAGE)]);
  return home.folder;
}
