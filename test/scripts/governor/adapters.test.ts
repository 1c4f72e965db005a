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
const { run, governor } = commandLine(own.env);
const home = temporaryFolder(afterAll);

describe('governor connect', () => {
  it('prints settings with which a tool is counted', async () => {
    const { orgId, key } = await tenant();
    const args = ['claude-code', '--org', orgId, '--api', api.url, '--project-id', 'at las'];
    const { stdout } = await run('connect', ...args, '--user-id', 'ada');
    const settings = new Map(stdout.split('\n').map((line) => line.split(/=(.*)/s) as [string, string]));
    expect(settings.get('OTEL_RESOURCE_ATTRIBUTES')).toBe('project.id=at%20las');
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
    const file = join(home, 'ccusage.json');
    writeFileSync(file, `\uFEFF${JSON.stringify({ session: [session] })}`);
    const args = ['import', 'ccusage', file, '--api', api.url, '--key', key, '--user-id', 'ada'];
    expect(await governor(...args)).toMatchObject({ accepted: 2 });
    const signals = await signalRows(api.ctx).find({ org_id: orgId }).sort({ cost_nusd: 1 }).toArray();
    expect(signals).toMatchObject([
      { adapter: 'codex', model: 'gpt-5-mini', tokens_in: 8_512, cost_nusd: 250_000_000 },
      { adapter: 'codex', model: 'gpt-5', tokens_in: 8_512, cost_nusd: 500_000_000 },
    ]);
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
