import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../../packages/stack/files.ts';
import { identify } from '../../packages/stack/processes.ts';
import { waitUntil } from '../../packages/stack/wait.ts';
import { VARIABLE_NAMES } from '../../shared/platform/basics/config.ts';

const pids = z.strictObject({
  api: z.int(),
  worker: z.int(),
  idp: z.int(),
  redis: z.int(),
  mongo: z.int(),
});
const member = z.object({
  user_id: z.string(),
  email: z.string(),
  role: z.string(),
  session_token: z.string().nullable(),
  mcp_token: z.string().nullable(),
  devices: z.array(z.object({ device_id: z.string(), device_token: z.string() })),
});
const organization = z.object({
  org_id: z.string(),
  plan: z.string(),
  api_key: z.string(),
  members: z.array(member),
});
/** The line of --json, to the letter. */
export const readyLine = z.strictObject({
  api: z.string(),
  operator_token: z.string(),
  mongo_url: z.string(),
  redis_url: z.string(),
  pids,
  orgs: z.array(organization),
});
export type Line = z.infer<typeof readyLine>;

/** One `scripts/up` in a process group of its own, as a terminal would run it. */
export type UpRun = { child: ChildProcess; stdout: () => string; stderr: () => string };

export function newDataDir(): string {
  return mkdtempSync(join(tmpdir(), 'usage-governor-up-'));
}

export function runUp(args: string[], env: Record<string, string> = {}): UpRun {
  const options = { cwd: ROOT, env: { ...environmentOfATerminal(), ...env }, detached: true } as const;
  const child = spawn(join(ROOT, 'scripts/up'), args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  return { child, stdout: () => said.stdout, stderr: () => said.stderr };
}

/** Ours without our settings: vitest sets some of their names (NODE_ENV, BASE_URL). */
function environmentOfATerminal(): NodeJS.ProcessEnv {
  const settings = new Set(VARIABLE_NAMES);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !settings.has(name)));
}

export async function untilReady(run: UpRun, timeoutMs = 60_000): Promise<Line> {
  const answered = () => run.stdout().includes('\n') || run.child.exitCode !== null;
  await waitUntil(async () => answered(), { timeoutMs });
  if (!run.stdout().includes('\n')) throw new Error(`scripts/up is not ready:\n${run.stderr()}`);
  return readyLine.parse(JSON.parse(run.stdout()));
}

/** Presses Ctrl-C: the signal goes to the whole process group. Resolves with the exit code. */
export async function pressCtrlC(run: UpRun): Promise<number | null> {
  if (run.child.pid === undefined || run.child.exitCode !== null) return run.child.exitCode;
  const ended = once(run.child, 'exit');
  process.kill(-run.child.pid, 'SIGINT');
  const [code] = await ended;
  return code as number | null;
}

export async function untilEnded(run: UpRun): Promise<number | null> {
  if (run.child.exitCode === null && run.child.signalCode === null) await once(run.child, 'exit');
  return run.child.exitCode;
}

export function isRunning(pid: number): boolean {
  return identify(pid) !== null;
}

export function readUpJson(dataDir: string): Line {
  return readyLine.parse(JSON.parse(readFileSync(join(dataDir, 'up.json'), 'utf8')));
}
