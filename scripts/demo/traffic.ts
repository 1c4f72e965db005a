import { isoTime } from '../../shared/platform/basics/clock.ts';
import { CLAUDE, HABITS, type Habit, TOOLS, type Tool } from './habits.ts';

/** A signal as `POST /api/v1/signals` takes it. */
export type DemoSignal = {
  id: string;
  ts: string;
  user_id: string;
  project_id: string;
  adapter: string;
  type: 'call' | 'intervention';
  repository?: string;
  branch?: string;
  [field: string]: unknown;
};

type Random = () => number;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DAYS = 30;
const INTERVENTION_RATE = 0.03;

/** The member whose session of yesterday takes far more than any of the days before. */
export const SPIKING_MEMBER = 1;

/**
 * Thirty days of work that end at `untilMs`, in time order. The same arguments give the same signals, so that playing
 * them again changes nothing; those of another day have ids of their own.
 */
export function generateTraffic(userIds: string[], untilMs: number, seed: number): DemoSignal[] {
  const random = mulberry32(seed);
  const today = Math.floor(untilMs / DAY_MS);
  const signals: DemoSignal[] = [];
  for (let day = today - DAYS + 1; day <= today; day++) {
    for (const [index, userId] of userIds.entries()) {
      const habit = HABITS[index % HABITS.length];
      if (habit) signals.push(...workOneDay(random, habit, userId, day));
    }
  }
  const spiking = userIds[SPIKING_MEMBER];
  if (spiking !== undefined) signals.push(...spike(random, spiking, (today - 1) * DAY_MS + 21 * HOUR_MS));
  const [busy] = userIds;
  const [habit] = HABITS;
  // Somebody is at work right now, whatever the hour: a session that is still open.
  if (busy !== undefined && habit)
    signals.push(...workOneSession(random, habit, busy, untilMs - 15 * 60_000));
  return signals
    .filter((signal) => Date.parse(signal.ts) <= untilMs)
    .sort((a, b) => a.ts.localeCompare(b.ts))
    .map((signal, number) => ({ ...signal, id: `demo-${today}-${number}` }));
}

function workOneDay(random: Random, habit: Habit, userId: string, day: number): DemoSignal[] {
  // Day 0 of the epoch was a Thursday.
  const weekday = (day + 4) % 7;
  if (!habit.weekends && (weekday === 0 || weekday === 6)) return [];
  const sessions = Math.round(habit.sessionsPerDay * (0.5 + random()));
  return Array.from({ length: sessions }, () => {
    const [first, last] = habit.hours;
    const startMs = day * DAY_MS + (first + random() * (last - first)) * HOUR_MS;
    return workOneSession(random, habit, userId, startMs);
  }).flat();
}

function workOneSession(random: Random, habit: Habit, userId: string, startMs: number): DemoSignal[] {
  const calls = Math.max(2, Math.round(habit.callsPerSession * (0.4 + 1.2 * random())));
  const project = pick(random, habit.projects);
  const tool = pick(random, habit.tools);
  const signals: DemoSignal[] = [];
  let ms = startMs;
  for (let turn = 0; turn < calls; turn++) {
    const where = {
      id: '',
      ts: isoTime(ms),
      user_id: userId,
      project_id: project,
      adapter: tool.adapter,
    };
    const rules = random() < INTERVENTION_RATE;
    signals.push(
      rules ? { ...where, ...intervene(random) } : { ...where, ...call(random, habit, tool, turn) },
    );
    ms += 4_000 + Math.round(random() ** 3 * 240_000);
  }
  return signals;
}

function call(random: Random, habit: Habit, tool: Tool, turn: number) {
  const [provider, model] = pick(random, tool.models);
  // A conversation grows with its turns, and most of what was said before comes from the cache.
  const tokensIn = Math.round(tool.context * (0.2 + random()) * (1 + turn / 20));
  const cached = Math.round(tokensIn * (turn === 0 ? 0 : 0.5 + 0.4 * random()));
  const usage = {
    tokens_in: tokensIn,
    tokens_out: 50 + Math.round(random() ** 2 * 1_800),
    cache_read_tokens: cached,
  };
  const outcome = random() < habit.errorRate ? fail(random) : usage;
  const latency = 400 + Math.round(random() ** 2 * 12_000);
  return {
    type: 'call' as const,
    provider,
    model,
    ...outcome,
    latency_ms: latency,
    tool_name: pick(random, TOOL_NAMES),
  };
}

const TOOL_NAMES = ['edit', 'search', 'run_tests', 'read_file', 'chat'];

function fail(random: Random) {
  const errors = [
    { code: 'rate_limited', message: 'Too many requests' },
    { code: 'overloaded', message: 'The provider is overloaded' },
    { code: 'context_length_exceeded' },
    { code: 'timeout', message: 'No answer within 60 s' },
  ];
  return { tokens_in: 0, tokens_out: 0, error: pick(random, errors) };
}

function intervene(random: Random) {
  const rules = [
    {
      kind: 'policy',
      verdict: 'deny',
      action: 'block',
      policy_id: 'pol-secrets',
      rule_id: 'no-credentials',
      reason: 'The prompt held a credential',
      severity: 'high',
    },
    {
      kind: 'policy',
      verdict: 'modify',
      action: 'modify',
      policy_id: 'pol-privacy',
      rule_id: 'mask-personal-data',
      reason: 'Two e-mail addresses were masked',
      severity: 'medium',
    },
    {
      kind: 'tool_gate',
      verdict: 'warn',
      action: 'allow',
      policy_id: 'pol-tools',
      rule_id: 'shell-outside-workspace',
      reason: 'The command leaves the workspace',
      severity: 'low',
    },
    {
      kind: 'approval',
      verdict: 'escalate',
      action: 'escalate',
      policy_id: 'pol-deploy',
      rule_id: 'production-needs-approval',
      reason: 'A deployment needs a second person',
      severity: 'medium',
    },
  ];
  return { type: 'intervention' as const, intervention: { ...pick(random, rules), source: 'policy-gate' } };
}

/** An agent that runs in circles for an hour and a half with a full context. */
function spike(random: Random, userId: string, startMs: number): DemoSignal[] {
  return Array.from({ length: 90 }, (_, turn) => ({
    id: '',
    ts: isoTime(startMs + turn * 60_000),
    user_id: userId,
    project_id: 'infra',
    adapter: TOOLS.claudeCode.adapter,
    type: 'call' as const,
    provider: CLAUDE[0],
    model: CLAUDE[1],
    tokens_in: 150_000 + Math.round(random() * 40_000),
    tokens_out: 2_000 + Math.round(random() * 2_000),
    cache_read_tokens: 90_000,
    latency_ms: 9_000 + Math.round(random() * 20_000),
    tool_name: 'run_tests',
  }));
}

function pick<T>(random: Random, choices: readonly T[]): T {
  const choice = choices[Math.floor(random() * choices.length)];
  if (choice === undefined) throw new Error('Nothing to choose from.');
  return choice;
}

/** mulberry32 by Tommy Ettinger (public domain): a small generator with a full period of 2^32. */
function mulberry32(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
