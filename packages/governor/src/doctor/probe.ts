import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { exchange } from '../../../../shared/platform/outward/exchange.ts';
import { describeFailure, describeRefusal } from '../api/ask.ts';
import type { AskingHook, Machine } from './hook.ts';

/** The variable that makes `governor check` refuse after it has asked, and what it then says. */
export const DRILL = {
  variable: 'GOVERNOR_DRILL',
  reason: 'This is a drill: a spent budget would stop this call.',
};

const PATIENCE_MS = 10_000;
const MOST_ANSWER_BYTES = 1_048_576;

/** Runs a hook as its agent would. Null when a refusal would arrive, else why it would not. */
export async function probe(hook: AskingHook, machine: Machine): Promise<string | null> {
  try {
    return 'command' in hook.asks
      ? await runCommand(hook.asks.command, { ...machine, env: hook.env ?? machine.env })
      : await post(hook);
  } catch (error) {
    return describeFailure(error);
  }
}

async function runCommand(command: string, { cwd, env }: Machine): Promise<string | null> {
  const child = spawn(command, {
    shell: true,
    cwd,
    env: { ...env, [DRILL.variable]: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: PATIENCE_MS,
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (code === 2 && said.includes(DRILL.reason)) return null;
  const reason = said.trim().split('\n').at(-1) || 'no reason was given';
  return `\`${command}\` ended with ${code ?? 'a signal'}: ${reason}`;
}

async function post({ asks, event }: AskingHook): Promise<string | null> {
  if (!('url' in asks)) return null;
  const headers = { 'content-type': 'application/json', ...asks.headers };
  const request = { method: 'POST', headers, body: JSON.stringify({ hook_event_name: event }) };
  const limits = { deadlineMs: PATIENCE_MS, mostBytes: MOST_ANSWER_BYTES };
  const response = await exchange(asks.url, request, limits);
  const answer = { status: response.status, body: await response.text() };
  if (answer.status === 200) return null;
  const hint = answer.status === 401 ? ' Is GOVERNOR_API_KEY set here, and in allowedEnvVars?' : '';
  return `${asks.url} ${describeRefusal(answer)}.${hint}`;
}
