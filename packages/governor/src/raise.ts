import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { type Api, ApiAway, ask, describeFailure, FOR_PEOPLE, type How, type Pause } from './api/ask.ts';
import { type TargetFlags, targetOf, withTarget } from './api/target.ts';
import type { Env } from './commands.ts';
import { asCell } from './output/cells.ts';

/** A request for more of a budget. Without `budgetId` it is the budget that refuses now. */
export interface RaiseRequest {
  budgetId?: string | undefined;
  amount: number;
  durationS?: number | undefined;
  note?: string | undefined;
  /** True: waits for the answer. */
  wait?: boolean | undefined;
}

/** How it ended: 0 sent, or with `wait` approved; 2 denied, expired, or nothing refuses; 1 it could not ask, or not read the answer. */
export interface RaiseOutcome {
  exitCode: 0 | 1 | 2;
  message: string;
  /** The request as it is now; null where none was made. */
  raise: Raise | null;
}

interface RaiseFlags extends TargetFlags {
  amount: number;
  budget?: string;
  for?: number;
  note?: string;
  wait?: boolean;
}

const EVERY_MS = 2_000;
const HOW: How = { ...FOR_PEOPLE, limits: { deadlineMs: 10_000, mostBytes: 1_048_576 } };
const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

const refusal = z.object({ refused_by: z.object({ id: z.string() }).nullable() });
const raise = z.object({ id: z.string(), status: z.string(), ends_at: z.string().nullable() });
type Raise = z.output<typeof raise>;

/** `raise`: asks an admin for more of a budget. */
export function addRaiseCommand(program: Command, around: Pick<Env, 'env' | 'fallback'>): void {
  withTarget(program.command('raise'))
    .description('Ask for more of a budget: exit code 0 is sent or approved, 2 denied, 1 could not ask')
    .requiredOption('--amount <n>', 'how much more, in the unit of the budget', parseAmount)
    .option('--budget <id>', 'default: the budget that refuses now')
    .option('--for <time>', "such as 90m, 2h or 1d; default: to the end of the budget's window", parseTime)
    .option('--note <text>', 'why')
    .option('--wait', 'wait for the answer')
    .action(async (flags: RaiseFlags) => {
      const { budget: budgetId, amount, for: durationS, note, wait } = flags;
      const asked = { budgetId, amount, durationS, note, wait };
      const { exitCode, message, raise: made } = await requestRaise(targetOf(flags, around), asked, sleep);
      if (program.opts<{ json?: boolean }>().json) console.log(JSON.stringify({ raise: made, message }));
      else (exitCode === 0 ? console.log : console.error)(message);
      process.exitCode = exitCode;
    });
}

function parseAmount(text: string): number {
  const amount = Number(text);
  if (text.trim() !== '' && Number.isFinite(amount) && amount > 0) return amount;
  throw new InvalidArgumentError('Name a number above 0.');
}

function parseTime(text: string): number {
  const [, count, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  if (count && unit) return Number(count) * UNITS[unit as keyof typeof UNITS];
  throw new InvalidArgumentError('Name a time such as 90m, 2h or 1d.');
}

/** Asks, and with `wait` looks for the answer every two seconds. Never throws. */
export async function requestRaise(api: Api, asked: RaiseRequest, pause: Pause): Promise<RaiseOutcome> {
  try {
    const budgetId = asked.budgetId ?? (await findRefusing(api, pause));
    if (budgetId === null)
      return { exitCode: 2, message: 'governor: no budget refuses a call now.', raise: null };
    const body = {
      budget_id: budgetId,
      amount: asked.amount,
      ...(asked.durationS === undefined ? {} : { duration_s: asked.durationS }),
      ...(asked.note === undefined ? {} : { note: asked.note }),
    };
    // By its key a raise that is sent again is asked for once.
    const how = { ...HOW, headers: { 'idempotency-key': randomUUID() } };
    const made = await ask(api, '/api/v1/raises', JSON.stringify(body), pause, raise, how);
    if (!asked.wait) return { exitCode: 0, message: `Sent: ${made.id}. An admin answers.`, raise: made };
    return await waitFor(api, made, pause);
  } catch (error) {
    const message = `governor: a raise could not be asked for: ${describeFailure(error)}`;
    return { exitCode: 1, message, raise: null };
  }
}

async function findRefusing(api: Api, pause: Pause): Promise<string | null> {
  const { refused_by } = await ask(api, '/api/v1/budgets/check', '{}', pause, refusal, HOW);
  return refused_by?.id ?? null;
}

/** Waits for the answer, also while the api is away: the raise is there, and asking for it again would be refused. */
async function waitFor(api: Api, made: Raise, pause: Pause): Promise<RaiseOutcome> {
  const { id } = made;
  for (;;) {
    const now = await ask(api, `/api/v1/raises/${encodeURIComponent(id)}`, null, pause, raise, HOW).catch(
      (error: Error) => (error instanceof ApiAway ? made : error),
    );
    if (now instanceof Error) {
      const message = `governor: ${id} was sent, and its answer cannot be read: ${describeFailure(now)}`;
      return { exitCode: 1, message, raise: made };
    }
    const until = now.ends_at === null ? '' : ` until ${asCell(now.ends_at)}`;
    if (now.status === 'approved') return { exitCode: 0, message: `Approved${until}: ${id}`, raise: now };
    if (now.status !== 'pending')
      return { exitCode: 2, message: `The raise is ${now.status}: ${id}`, raise: now };
    await pause(EVERY_MS);
  }
}
