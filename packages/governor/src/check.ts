import { homedir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { type Api, ask, describeFailure, type How } from './api/ask.ts';
import { findTarget, type TargetFlags, withTarget } from './api/target.ts';
import type { Env } from './commands.ts';
import { claudeTarget } from './doctor/claude-hooks.ts';
import { examine, type Finding } from './doctor/doctor.ts';
import type { Machine } from './doctor/hook.ts';
import { DRILL } from './doctor/probe.ts';

interface CheckFlags extends TargetFlags {
  userId?: string;
  failClosed?: boolean;
  doctor?: boolean;
}

/** How a check ended: 0 lets the call pass, 2 blocks it (as hooks of coding agents have it), 1 is a failed check. */
export interface CheckOutcome {
  exitCode: 0 | 1 | 2;
  /** Null: the check failed. */
  allow: boolean | null;
  /** For standard error, when it did not pass. */
  message: string | null;
}

/** A hook that hangs would hold up every call. */
const HOW: How = { attempts: 1, limits: { deadlineMs: 3_000, mostBytes: 1_048_576 } };

const verdict = z.object({
  allow: z.boolean(),
  reason: z.string().nullish(),
  refused_by: z.object({ id: z.string() }).nullish(),
});

/** `check`: a command hook for coding agents, which does not read its standard input; with `--doctor` a report for people. */
export function addCheckCommand(program: Command, around: Pick<Env, 'env' | 'fallback' | 'print'>): void {
  const { env, print } = around;
  withTarget(program.command('check'))
    .description(
      'Ask whether a call fits into its budgets: exit code 0 passes, 2 blocks, 1 is a failed check',
    )
    .option('--user-id <id>', 'who calls; a key that is bound to a user needs none')
    .option('--fail-closed', 'block also when the check fails')
    .option('--doctor', 'show for each agent on this machine whether a spent budget would stop its next call')
    .action(async (flags: CheckFlags) => {
      const isJson = program.opts<{ json?: boolean }>().json === true;
      if (flags.doctor) {
        const machine = { home: homedir(), cwd: process.cwd(), env };
        const target = targetOf(machine, { ...flags, fallback: around.fallback() });
        return report(await examine(machine, target, flags.userId), isJson ? print : null);
      }
      const { exitCode, allow, message } = await checkCall(findTarget(flags, around), {
        userId: flags.userId,
        failClosed: flags.failClosed === true,
        isDrill: Boolean(env[DRILL.variable]),
      });
      if (isJson) print({ allow, reason: message });
      // Agents read the reason there.
      if (message !== null) await new Promise((resolve) => process.stderr.write(`${message}\n`, resolve));
      // A resolver that hangs would keep the process, and with it the agent, beyond its patience.
      process.exit(exitCode);
    });
}

/** The service to examine: the one that Claude Code's settings name before that of the shell, as Claude Code has it. */
export function targetOf(
  machine: Machine,
  { api, key, fallback = {} }: TargetFlags & { fallback?: ReturnType<Env['fallback']> },
): Api | null {
  let named: ReturnType<typeof claudeTarget>;
  try {
    named = claudeTarget(machine);
  } catch {
    // The finding of Claude Code says which file is damaged.
    named = { api: machine.env.GOVERNOR_API, key: machine.env.GOVERNOR_API_KEY };
  }
  const address = api || named.api || fallback.api;
  const apiKey = key || named.key || fallback.key;
  return address && apiKey ? { api: address, apiKey } : null;
}

/** Prints a line per finding, or one JSON object. The exit code is 0 when a spent budget stops every agent here, else 1. */
function report(findings: readonly Finding[], print: Env['print'] | null): void {
  const [service, ...agents] = findings;
  if (print) print({ service, agents });
  else
    for (const { name, stops, detail } of findings)
      console.log(`${stops ? 'ok  ' : 'FAIL'}  ${name}: ${detail}`);
  if (!findings.every(({ stops }) => stops)) process.exitCode = 1;
}

/** The last line of a refusal: how the person asks for more. */
function askFor(budgetId: unknown, api: string): string {
  if (typeof budgetId !== 'string') return '';
  const page = `${api.replace(/\/$/, '')}/dashboard/raise?budget=${budgetId}`;
  return `\nAsk for more: governor raise --budget ${budgetId} --amount N, or ${page}`;
}

/** Asks the api once. A drill refuses after an answer, so that it proves key and address too. Never throws. */
export async function checkCall(
  target: Api | null,
  {
    userId,
    failClosed,
    isDrill = false,
  }: { userId?: string | undefined; failClosed: boolean; isDrill?: boolean },
): Promise<CheckOutcome> {
  try {
    if (!target) throw new Error('set GOVERNOR_API (or --api) and GOVERNOR_API_KEY');
    const body = JSON.stringify(userId === undefined ? {} : { user_id: userId });
    const answer = await ask(target, '/api/v1/budgets/check', body, sleep, verdict, HOW);
    if (isDrill) return { exitCode: 2, allow: false, message: DRILL.reason };
    if (answer.allow) return { exitCode: 0, allow: true, message: null };
    const message = `${answer.reason}${askFor(answer.refused_by?.id, target.api)}`;
    return { exitCode: 2, allow: false, message };
  } catch (error) {
    const message = `governor: budgets could not be checked: ${describeFailure(error)}`;
    return { exitCode: failClosed ? 2 : 1, allow: null, message };
  }
}
