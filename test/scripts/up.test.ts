import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../../packages/stack/ports.ts';
import { answersMongo, answersRedis } from '../../packages/stack/store-answers.ts';
import { answersOk, waitUntil } from '../../packages/stack/wait.ts';
import { bareEnv } from '../support/bare-env.ts';
import { listen, temporaryFolder } from '../support/temporary.ts';
import {
  isRunning,
  type Line,
  newDataDir,
  pressCtrlC,
  readUpJson,
  runUp,
  type UpRun,
  untilEnded,
  untilReady,
} from '../support/up-run.ts';

const dataDir = newDataDir();
let port: number;
let run: UpRun;
let line: Line;

/** A worker port of 0 is any free one. */
const start = (env: Record<string, string> = {}) =>
  runUp(['--empty', '--json', '--port', String(port), '--data', dataDir], { WORKER_PORT: '0', ...env });
/** A module that lets the preparation of a start wait for as long as it is not killed. */
const holdsPreparation = join(dataDir, 'hold.mjs');
const HOLD = `if (process.argv[1]?.endsWith('prepare.ts')) await new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1));`;
const pidsOf = (of: Line) => Object.values(of.pids);

beforeAll(async () => {
  port = await findFreePort();
  writeFileSync(holdsPreparation, HOLD);
  run = start();
  line = await untilReady(run);
});

afterAll(async () => {
  await pressCtrlC(run);
  rmSync(dataDir, { recursive: true, force: true });
});

/** The tests of this file tell one story on one data folder, in this order. */
describe('scripts/up', () => {
  test('prints nothing on stdout but the line, and keeps it in up.json', () => {
    expect(run.stdout().trimEnd().split('\n')).toHaveLength(1);
    expect(line.api).toBe(`http://127.0.0.1:${port}`);
    expect(readUpJson(dataDir)).toEqual(line);
    expect(pidsOf(line).every(isRunning)).toBe(true);
  });

  test('makes two organizations: a team of fourteen, and a free one of its admin', () => {
    const shapes = line.orgs.map(({ plan, members }) => [plan, ...members.map(({ role }) => role)]);
    const members = Array.from({ length: 13 }, () => 'member');
    expect(shapes).toEqual([
      ['team', 'admin', ...members],
      ['free', 'admin'],
    ]);
  });

  test.each(['demo', 'secrets', 'signing-key', 'up'])('keeps %s.json from other users', (name) => {
    expect(statSync(join(dataDir, `${name}.json`)).mode & 0o777).toBe(0o600);
  });

  test('prints a key and an operator token that work', async () => {
    expect(await postSignal('before')).toBe('accepted');
    const metrics = await fetch(`${line.api}/metrics`, { headers: bearer(line.operator_token) });
    expect(metrics.status).toBe(200);
  });

  test('pushes exports to a folder of its data, which the command line knows too', async () => {
    const program = ['scripts/governor.ts', '--json', '--data', dataDir, 'destination'];
    const governor = (...args: string[]) =>
      JSON.parse(spawnSync(process.execPath, [...program, ...args], { env: bareEnv() }).stdout.toString());
    const [{ org_id }] = line.orgs as [Line['orgs'][number]];
    const add = ['--kind', 'folder', '--name', 'Finance', '--prefix', 'out', '--level', 'focus:csv'];
    const { id } = governor('add', org_id, ...add);
    expect(governor('run', id, '--wait')).toMatchObject({ state: 'succeeded' });
    expect(existsSync(join(dataDir, 'exports', org_id, 'out/_governor.json'))).toBe(true);
  });

  test.each(['redis', 'mongo', 'idp', 'worker', 'api'] as const)(
    'brings back %s within 2 s when it is killed',
    async (name) => {
      const killed = readUpJson(dataDir).pids[name];
      process.kill(killed, 'SIGKILL');
      const isNew = async () => readUpJson(dataDir).pids[name] !== killed;
      // Two seconds, and what this machine takes to begin ten processes, which is long while other tests run beside this one.
      const beganMs = performance.now();
      for (let begun = 0; begun < 10; begun += 1) spawnSync(process.execPath, ['--eval', '']);
      const timeoutMs = 2_000 + performance.now() - beganMs;
      expect(await waitUntil(isNew, { timeoutMs, pauseMs: 20 })).toBe(true);
      expect(await waitUntil(servesAll, { timeoutMs: 60_000 })).toBe(true);
      expect(isRunning(readUpJson(dataDir).pids[name])).toBe(true);
      expect(run.stderr()).toContain(`${name} (pid ${killed}) ended (SIGKILL)`);
      const isKept = async () => (await postSignal('before')) === 'duplicate';
      expect(await waitUntil(isKept, { timeoutMs: 60_000 })).toBe(true);
    },
  );

  test('refuses a second run on the same data, and says which process has it', async () => {
    const second = runUp(['--empty', '--json', '--port', String(await findFreePort()), '--data', dataDir]);
    expect(await untilEnded(second)).toBe(1);
    expect(second.stderr()).toContain(`(pid ${run.child.pid}) already uses ${dataDir}`);
    expect(second.stdout()).toBe('');
  });

  test('leaves nothing alive after Ctrl-C', async () => {
    const pids = pidsOf(readUpJson(dataDir));
    expect(await pressCtrlC(run)).toBe(0);
    expect(pids.filter(isRunning)).toEqual([]);
    expect(existsSync(join(dataDir, 'up.json'))).toBe(false);
    expect(run.stdout().trimEnd().split('\n')).toHaveLength(1);
  });

  test('goes on with the same credentials and data at the next start', async () => {
    run = start();
    const next = await untilReady(run);
    expect({ ...next, pids: null }).toEqual({ ...line, pids: null });
    line = next;
    expect(await postSignal('before')).toBe('duplicate');
  });

  test('ends what it started also when it is killed, and starts again after that', async () => {
    const pids = pidsOf(line);
    run.child.kill('SIGKILL');
    await untilEnded(run);
    run = start();
    line = await untilReady(run);
    expect(pids.filter(isRunning)).toEqual([]);
  });

  test('ends at the next start what a run left behind whose guard was killed with it', async () => {
    const pids = pidsOf(line);
    for (const guard of guardsOf(run)) process.kill(guard, 'SIGKILL');
    run.child.kill('SIGKILL');
    await untilEnded(run);
    expect(pids.every(isRunning)).toBe(true);
    run = start();
    line = await untilReady(run);
    expect(run.stderr()).toContain('Ending what a killed run left behind');
    expect(pids.filter(isRunning)).toEqual([]);
  });

  test('leaves nothing of a start that was killed before it was ready', async () => {
    await pressCtrlC(run);
    run = start({ NODE_OPTIONS: `--import ${holdsPreparation}` });
    let begun: number[] = [];
    const isPreparing = async () => {
      begun = recordedPids();
      return begun.some((pid) => commandOf(pid).includes('prepare.ts'));
    };
    expect(await waitUntil(isPreparing, { timeoutMs: 120_000 })).toBe(true);
    run.child.kill('SIGKILL');
    expect(await waitUntil(async () => !begun.some(isRunning), { timeoutMs: 60_000 })).toBe(true);
    run = start();
    line = await untilReady(run);
  });
});

test('says so when the port is taken', async () => {
  const taken = new URL(await listen(createServer())).port;
  const refused = runUp(['--json', '--port', taken, '--data', temporaryFolder()]);
  expect(await untilEnded(refused)).toBe(1);
  expect(refused.stderr()).toContain(`Port ${taken} on 127.0.0.1 is taken`);
  expect(refused.stdout()).toBe('');
});

/** The guards of a run: children of the process, which execs scripts/up, that wait in their shell. */
function guardsOf({ child }: UpRun): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)], { encoding: 'utf8' });
  const children = stdout.trim().split(/\s+/).map(Number);
  const guards = children.filter((pid) => commandOf(pid).includes('usage-governor-guard'));
  expect(guards).toHaveLength(1);
  return guards;
}

function commandOf(pid: number): string {
  return spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
}

function recordedPids(): number[] {
  const file = join(dataDir, 'run.json');
  if (!existsSync(file)) return [];
  const { processes } = JSON.parse(readFileSync(file, 'utf8')) as { processes: { pid: number }[] };
  return processes.map(({ pid }) => pid);
}

async function servesAll(): Promise<boolean> {
  const stores = await Promise.all([answersRedis(line.redis_url), answersMongo(line.mongo_url)]);
  return stores.every(Boolean) && (await answersOk(`${line.api}/readyz`));
}

async function postSignal(id: string): Promise<unknown> {
  const [organization] = line.orgs;
  const userId = organization?.members[0]?.user_id;
  const signal = { id, ts: new Date().toISOString(), adapter: 'test', type: 'call', user_id: userId };
  const response = await fetch(`${line.api}/api/v1/signals`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(organization?.api_key ?? '') },
    body: JSON.stringify(signal),
  });
  const body = (await response.json()) as { results?: { status: string }[] };
  return body.results?.[0]?.status;
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
