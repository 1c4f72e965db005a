import { appendFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { findTarget, type TargetFlags, targetOf, withTarget } from '../api/target.ts';
import type { Env } from '../commands.ts';
import { asText, parseObject } from '../readers/history.ts';
import { stateFolder } from './state.ts';
import { sendWaiting, tell } from './tell.ts';

interface ContextFlags extends TargetFlags {
  session?: string;
  task?: string | false;
  hook?: true;
  gitHook?: true;
}

/** How long a hook may hold up an agent or git. */
const PATIENCE_MS = 2_000;

/** `context`: tells what a client session works on, by hand or from hooks of agents and of git. */
export function addContextCommand(program: Command, around: Env): void {
  withTarget(program.command('context'), 'signals:write')
    .description('Report what a client session works on: the repository, branch and task of its next calls')
    .option('--session <id>', 'the client session; default: GOVERNOR_CLIENT_SESSION or CODEX_THREAD_ID')
    .option('--task <task>', 'the task from now on')
    .option('--no-task', 'from now on it works on no task')
    .addOption(
      new Option('--hook', "reads an agent's hook from standard input; never fails").conflicts('gitHook'),
    )
    .option('--git-hook', 'called by a hook of git; never fails')
    .action(async (flags: ContextFlags) => {
      if (!flags.hook && !flags.gitHook) return runByHand(flags, around);
      const patience = setTimeout(() => process.exit(0), PATIENCE_MS);
      await runInHook(flags, around).catch(() => undefined);
      clearTimeout(patience);
      process.exit(0);
    });
}

async function runByHand(flags: ContextFlags, around: Env): Promise<void> {
  const { env, now, print } = around;
  const session = flags.session ?? sessionIn(env);
  const folder = stateFolder(env);
  const told = await tell({
    env,
    cwd: process.cwd(),
    nowMs: now(),
    folder,
    sessions: session === undefined ? null : [session],
    task: taskOf(flags),
    isRepeating: true,
  });
  if (told === 0)
    throw new Error(
      'There is no client session here. Name one with --session, or set GOVERNOR_CLIENT_SESSION.',
    );
  const target = targetOf(flags, around);
  print({ contexts: told, ...(await sendWaiting(target, folder, { nowMs: now(), patienceMs: 30_000 })) });
}

async function runInHook(flags: ContextFlags, around: Env): Promise<void> {
  const { env, now } = around;
  const hook = flags.hook ? parseObject(await text(process.stdin)) : null;
  const hooked = asText(hook?.session_id) ?? asText(hook?.conversation_id);
  const session = flags.session ?? hooked ?? sessionIn(env);
  if (flags.hook && session === undefined) return;
  if (hooked !== undefined && env.CLAUDE_ENV_FILE) exportSession(env.CLAUDE_ENV_FILE, hooked);
  const folder = stateFolder(env);
  await tell({
    env,
    cwd: asText(hook?.cwd) ?? process.cwd(),
    nowMs: now(),
    folder,
    sessions: session === undefined ? null : [session],
    task: taskOf(flags),
    isRepeating: false,
  });
  const target = findTarget(flags, around);
  if (target) await sendWaiting(target, folder, { nowMs: now(), patienceMs: PATIENCE_MS });
}

/** Claude Code runs this file before each command of a session: so git's hooks know the session. */
function exportSession(file: string, session: string): void {
  appendFileSync(file, `export GOVERNOR_CLIENT_SESSION='${session.replaceAll("'", `'\\''`)}'\n`);
}

function sessionIn({ GOVERNOR_CLIENT_SESSION, CODEX_THREAD_ID }: Env['env']): string | undefined {
  return GOVERNOR_CLIENT_SESSION || CODEX_THREAD_ID || undefined;
}

/** Commander gives `false` for `--no-task`, and `true` where neither flag is there. */
function taskOf({ task }: ContextFlags): string | null | undefined {
  if (task === false) return null;
  return typeof task === 'string' ? task : undefined;
}
