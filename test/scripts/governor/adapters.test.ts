import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { signalRows } from '../../../shared/core/calls/signals/model.ts';
import { claudeLine, writeLines } from '../../packages/governor/history.ts';
import { readFixture } from '../../shared/core/calls/adapters/fixtures.ts';
import { bytesOf } from '../../shared/core/calls/adapters/otlp-messages.ts';
import { bareEnv } from '../../support/bare-env.ts';
import { commandLine } from '../../support/command-line.ts';
import { makeSignal } from '../../support/factories.ts';
import { fixture } from '../../support/fixture.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const execute = promisify(execFile);
const own = await fixture();
const { api, tenant } = own;
const { run, governor, failure } = commandLine(own.env);
const home = temporaryFolder(afterAll);

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
    const [, call] = fixture.records;
    const records = call ? [{ ...call, attributes: { ...call.attributes, 'event.timestamp': now } }] : [];
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
    const at = ['--api', 'https://governor.example'];
    const made = await governor('connect', 'gemini', '--api', 'https://governor.example/');
    const note = expect.stringContaining('bound to no user');
    expect(made).toMatchObject({ tool: 'gemini', user_id: null, note });
    expect(made.settings).toContain('GEMINI_TELEMETRY_OTLP_ENDPOINT=https://governor.example/otlp');
    const { settings } = await governor('connect', 'qwen', ...at);
    expect(settings).toContain('QWEN_TELEMETRY_OTLP_ENDPOINT=https://governor.example/otlp');
    expect(await printed('connect', 'codex', ...at)).toContain(
      '# Put this into ~/.codex/config.toml.\n[otel]\nexporter = { otlp-http = { endpoint = "https://governor.example/otlp/v1/logs"',
    );
  });
});

describe('governor import', () => {
  it('takes what ccusage prints, a priced signal per session and model', async () => {
    const { key, orgId } = await tenant();
    const tokens = { inputTokens: 12, outputTokens: 300, cacheCreationTokens: 500, cacheReadTokens: 8_000 };
    const part = (modelName: string, cost: number) => ({ modelName, ...tokens, cost });
    const session = {
      agent: 'codex',
      period: 'session-a',
      metadata: { lastActivity: new Date().toISOString() },
      modelBreakdowns: [part('gpt-5', 0.5), part('gpt-5-mini', 0.25)],
    };
    const old = { ...session, period: 'old', metadata: { lastActivity: '2020-01-01' } };
    const file = join(home, 'ccusage.json');
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
    for (const text of ['{"daily": []}', '{"half']) {
      writeFileSync(file, text);
      expect((await failure(...args)).stderr).toContain('ccusage session --json');
    }
    writeFileSync(file, `\uFEFF${JSON.stringify({ session: [session] })}`);
    expect(await governor(...args)).toMatchObject({ duplicates: 2 });
  });

  it('takes lines of signals, says what the api refused, and fails then', async () => {
    const { key } = await tenant();
    const file = join(home, 'signals.ndjson');
    const ts = Date.now();
    const valid = makeSignal({ ts });
    const signals = [valid, { ...valid, id: 'negative', tokens_in: -1 }, { tokens_in: 1 }, { tokens_in: 2 }];
    writeFileSync(file, `${signals.map((signal) => JSON.stringify(signal)).join('\n')}\nno json\n`);
    const { stdout } = await failure('import', 'ndjson', file, '--api', api.url, '--key', key);
    const refused = { rejected: 3, rejected_codes: { invalid_signal: 3 }, left_out: { 'no JSON object': 1 } };
    expect(JSON.parse(stdout)).toMatchObject({ signals: 4, accepted: 1, ...refused });
  });

  it('sends more than a request may hold in several', async () => {
    const { key } = await tenant();
    const file = join(home, 'large.ndjson');
    const names = Array.from({ length: 30 }, (_, index) => `pair-${index}`);
    const metadata = Object.fromEntries(names.map((name) => [name, 'ü'.repeat(250)]));
    const signals = Array.from({ length: 100 }, () => makeSignal({ ts: Date.now(), metadata }));
    writeFileSync(file, signals.map((signal) => JSON.stringify(signal)).join('\n'));
    const sent = governor('import', 'ndjson', file, '--api', `${api.url}/`, '--key', key);
    expect(await sent).toMatchObject({ signals: 100, accepted: 100 });
  });

  it.each([
    ['import', 'claude-code', home],
    ['sync', '--once', '--cursor', join(home, 'cursor.json')],
    ['check'],
  ])('%s says what is wrong with an address or a key, and never the key', async (...args) => {
    writeLines(join(home, 'projects', 's.jsonl'), [claudeLine(Date.now(), 'msg_1')]);
    const told = async (GOVERNOR_API: string, GOVERNOR_API_KEY: string) => {
      const line = commandLine({ GOVERNOR_API, GOVERNOR_API_KEY, CLAUDE_CONFIG_DIR: home });
      return (await line.failure(...args)).stderr;
    };
    const wrongKey = await told(api.url, 'ugk_one\nugk_two');
    expect(wrongKey).toContain('The API key holds characters that no key has.');
    expect(wrongKey).not.toContain('ugk_');
    expect(await told('localhost:8080', 'ugk_one')).toContain('must be like https://governor.example.com');
  });
});

/** Runs the sources in a process of their own, whatever it ends with. */
const start = (args: string[], more: Record<string, string>) =>
  execute(process.execPath, args, { env: { ...bareEnv(), GOVERNOR_API_KEY: 'ugk_one', ...more } }).catch(
    (error) => error,
  );

it('governor check ends when its patience does, though the resolver hangs', async () => {
  const hanging = join(home, 'hanging.mjs');
  // As an operating system's resolver, which nobody can call off.
  writeFileSync(
    hanging,
    `import dns from 'node:dns';
    dns.lookup = (...args) => setTimeout(() => (console.log('resolved'), args.at(-1)(new Error('late'))), 20_000);`,
  );
  const args = ['--import', hanging, 'packages/governor/src/main.ts', 'check', '--fail-closed'];
  const { code, stdout, stderr } = await start(args, { GOVERNOR_API: 'http://governor.example' });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('budgets could not be checked');
});

it('governor sync says where it looked when there is no history', async () => {
  const args = ['packages/governor/src/main.ts', 'sync', '--once', '--tool', 'codex'];
  const { stderr } = await start(args, { GOVERNOR_API: api.url, HOME: home });
  expect(stderr).toContain(join(home, '.codex', 'sessions'));
});
