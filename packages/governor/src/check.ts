import { homedir } from 'node:os';
import type { Command } from 'commander';
import { exchange } from '../../../shared/platform/outward/exchange.ts';
import { type Api, describeFailure, describeRefusal, requestTo } from './api/ask.ts';
import type { Env } from './commands.ts';
import { claudeTarget } from './doctor/claude-hooks.ts';
import { examine, type Finding } from './doctor/doctor.ts';
import type { Machine } from './doctor/hook.ts';
import { DRILL } from './doctor/probe.ts';

interface CheckFlags {
  userId?: string;
  api?: string;
  failClosed?: boolean;
  doctor?: boolean;
}

/** How a check ended: 0 lets the call pass, 2 blocks it (as hooks of coding agents have it), 1 is a failed check. */
export interface CheckOutcome {
  exitCode: 0 | 1 | 2;
  /** For standard error, when it did not pass. */
  message: string | null;
}

/** A hook that hangs would hold up every call. */
const LIMITS = { deadlineMs: 3_000, mostBytes: 1_048_576 };

/** `check`: a command hook for coding agents, which does not read its standard input; with `--doctor` a report for people. */
export function addCheckCommand(
  program: Command,
  { env, fallback, print }: Pick<Env, 'env' | 'fallback' | 'print'>,
): void {
  program
    .command('check')
    .description(
      'Ask whether a call fits into its budgets: exit code 0 passes, 2 blocks, 1 is a failed check',
    )
    .option('--user-id <id>', 'who calls; a key that is bound to a user needs none')
    .option('--api <url>', 'default: GOVERNOR_API')
    .option('--fail-closed', 'block also when the check fails')
    .option('--doctor', 'show for each agent on this machine whether a spent budget would stop its next call')
    .action(async (flags: CheckFlags) => {
      const other = fallback();
      const api = flags.api || env.GOVERNOR_API || other.api;
      const key = env.GOVERNOR_API_KEY || other.key;
      if (flags.doctor) {
        const machine = { home: homedir(), cwd: process.cwd(), env };
        const target = targetOf(machine, { api: flags.api, fallback: other });
        return report(await examine(machine, target, flags.userId), program.opts().json ? print : null);
      }
      const outcome = await checkCall({
        api,
        key,
        userId: flags.userId,
        failClosed: flags.failClosed === true,
        isDrill: Boolean(env[DRILL.variable]),
      });
      const { message, exitCode } = outcome;
      if (message !== null) await new Promise((resolve) => process.stderr.write(`${message}\n`, resolve));
      // A resolver that hangs would keep the process, and with it the agent, beyond its patience.
      process.exit(exitCode);
    });
}

/** The service to examine: the one that Claude Code's settings name before that of the shell, as Claude Code has it. */
export function targetOf(
  machine: Machine,
  { api, fallback = {} }: { api?: string | undefined; fallback?: ReturnType<Env['fallback']> },
): Api | null {
  let named: ReturnType<typeof claudeTarget>;
  try {
    named = claudeTarget(machine);
  } catch {
    // The finding of Claude Code says which file is damaged.
    named = { api: machine.env.GOVERNOR_API, key: machine.env.GOVERNOR_API_KEY };
  }
  const address = api || named.api || fallback.api;
  const apiKey = named.key || fallback.key;
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
export async function checkCall({
  api,
  key,
  userId,
  failClosed,
  isDrill = false,
}: {
  api: string | undefined;
  key: string | undefined;
  userId: string | undefined;
  failClosed: boolean;
  isDrill?: boolean;
}): Promise<CheckOutcome> {
  try {
    if (!api || !key) throw new Error('set GOVERNOR_API (or --api) and GOVERNOR_API_KEY');
    const { url, headers } = requestTo({ api, apiKey: key }, '/api/v1/budgets/check');
    const asked = JSON.stringify(userId === undefined ? {} : { user_id: userId });
    const response = await exchange(url, { method: 'POST', headers, body: asked }, LIMITS);
    const { status } = response;
    const body = await response.text();
    if (status !== 200) throw new Error(`the api ${describeRefusal({ status, body })}`);
    const answer = JSON.parse(body) as {
      allow?: unknown;
      reason?: unknown;
      refused_by?: { id?: unknown } | null;
    };
    if (typeof answer.allow !== 'boolean') throw new Error('the answer is none of a usage-governor');
    if (isDrill) return { exitCode: 2, message: DRILL.reason };
    if (answer.allow) return { exitCode: 0, message: null };
    return { exitCode: 2, message: `${String(answer.reason)}${askFor(answer.refused_by?.id, api)}` };
  } catch (error) {
    const message = `governor: budgets could not be checked: ${describeFailure(error)}`;
    return { exitCode: failClosed ? 2 : 1, message };
  }
}
