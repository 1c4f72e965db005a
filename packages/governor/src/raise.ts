import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { exchange } from '../../../shared/platform/outward/exchange.ts';
import { type Api, describeFailure, describeRefusal, type Pause, requestTo } from './api/ask.ts';
import type { Env } from './commands.ts';

/** A request for more of a budget. Without `budgetId` it is the budget that refuses now. */
export interface RaiseRequest {
  budgetId?: string | undefined;
  amount: number;
  durationS?: number | undefined;
  note?: string | undefined;
  /** True: waits for the answer. */
  wait?: boolean | undefined;
}

/** How it ended: 0 sent, or with `wait` approved; 2 denied, expired, or nothing refuses; 1 it could not ask. */
export interface RaiseOutcome {
  exitCode: 0 | 1 | 2;
  message: string;
}

interface RaiseFlags {
  amount: number;
  budget?: string;
  for?: number;
  note?: string;
  wait?: boolean;
  api?: string;
}

const EVERY_MS = 2_000;
const LIMITS = { deadlineMs: 10_000, mostBytes: 1_048_576 };
const ATTEMPTS = 3;
const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

const refusal = z.object({ refused_by: z.object({ id: z.string() }).nullable() });
const raise = z.object({ id: z.string(), status: z.string(), ends_at: z.string().nullable() });

/** `raise`: asks an admin for more of a budget. */
export function addRaiseCommand(program: Command, { env, fallback }: Pick<Env, 'env' | 'fallback'>): void {
  program
    .command('raise')
    .description('Ask for more of a budget: exit code 0 is sent or approved, 2 denied, 1 could not ask')
    .requiredOption('--amount <n>', 'how much more, in the unit of the budget', parseAmount)
    .option('--budget <id>', 'default: the budget that refuses now')
    .option('--for <time>', "such as 90m, 2h or 1d; default: to the end of the budget's window", parseTime)
    .option('--note <text>', 'why')
    .option('--wait', 'wait for the answer')
    .option('--api <url>', 'default: GOVERNOR_API')
    .action(async (flags: RaiseFlags) => {
      const other = fallback();
      const api = flags.api || env.GOVERNOR_API || other.api;
      const apiKey = env.GOVERNOR_API_KEY || other.key;
      if (!api || !apiKey) throw new Error('Set GOVERNOR_API (or --api) and GOVERNOR_API_KEY.');
      const { budget: budgetId, amount, for: durationS, note, wait } = flags;
      const asked = { budgetId, amount, durationS, note, wait };
      const { exitCode, message } = await requestRaise({ api, apiKey }, asked, sleep);
      (exitCode === 0 ? console.log : console.error)(message);
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
    if (budgetId === null) return { exitCode: 2, message: 'governor: no budget refuses a call now.' };
    const body = {
      budget_id: budgetId,
      amount: asked.amount,
      ...(asked.durationS === undefined ? {} : { duration_s: asked.durationS }),
      ...(asked.note === undefined ? {} : { note: asked.note }),
    };
    const made = await send(api, '/api/v1/raises', body, pause, raise);
    if (!asked.wait) return { exitCode: 0, message: `Sent: ${made.id}. An admin answers.` };
    return await waitFor(api, made.id, pause);
  } catch (error) {
    return { exitCode: 1, message: `governor: a raise could not be asked for: ${describeFailure(error)}` };
  }
}

async function findRefusing(api: Api, pause: Pause): Promise<string | null> {
  const { refused_by } = await send(api, '/api/v1/budgets/check', {}, pause, refusal);
  return refused_by?.id ?? null;
}

async function waitFor(api: Api, id: string, pause: Pause): Promise<RaiseOutcome> {
  for (;;) {
    const { status, ends_at } = await send(
      api,
      `/api/v1/raises/${encodeURIComponent(id)}`,
      null,
      pause,
      raise,
    );
    if (status === 'approved') return { exitCode: 0, message: `Approved until ${ends_at}: ${id}` };
    if (status !== 'pending') return { exitCode: 2, message: `The raise is ${status}: ${id}` };
    await pause(EVERY_MS);
  }
}

/** Sends a request until it is answered, a few times; by its idempotency key a raise is asked for once. */
async function send<Content>(
  api: Api,
  path: string,
  body: object | null,
  pause: Pause,
  shape: z.ZodType<Content>,
): Promise<Content> {
  const { url, headers } = requestTo(api, path);
  const key = { 'idempotency-key': randomUUID() };
  const request =
    body === null
      ? { headers }
      : { method: 'POST', headers: { ...headers, ...key }, body: JSON.stringify(body) };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await exchange(url, request, LIMITS);
      const text = await response.text();
      if (response.ok) return shape.parse(JSON.parse(text));
      const refused = `the api ${describeRefusal({ status: response.status, body: text })}`;
      if (response.status < 500 || attempt === ATTEMPTS) throw new Refused(refused);
    } catch (error) {
      if (error instanceof Refused || attempt === ATTEMPTS) throw error;
    }
    await pause(EVERY_MS);
  }
}

class Refused extends Error {}
