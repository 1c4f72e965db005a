import { existsSync } from 'node:fs';
import { z } from 'zod';
import { type Api, ask, describeFailure } from '../api/ask.ts';
import { AGENTS, type Agent } from './agents.ts';
import type { AskingHook, Machine } from './hook.ts';
import { probe } from './probe.ts';

/** Says of an agent, or of the service, whether a spent budget stops the next call, and why not. */
export interface Finding {
  readonly name: string;
  readonly stops: boolean;
  readonly detail: string;
}

/** Far above any call, and within what a check takes: every hard budget of cost refuses it. */
const HUGE_USD = 1_000_000;

const checked = z.object({
  allow: z.boolean(),
  budgets: z.array(z.object({ enforce: z.string() })),
});

/** Examines the service, then each agent that somebody has used on this machine. Never throws. */
export async function examine(
  machine: Machine,
  target: Api | null,
  userId: string | undefined,
  agents: readonly Agent[] = AGENTS,
): Promise<Finding[]> {
  const installed = agents.filter((agent) => existsSync(agent.folder(machine)));
  return [
    await examineService(target, userId),
    ...(await Promise.all(installed.map((agent) => examineAgent(agent, machine)))),
  ];
}

async function examineService(target: Api | null, userId: string | undefined): Promise<Finding> {
  const name = 'Service';
  if (!target) return { name, stops: false, detail: 'Set GOVERNOR_API (or --api) and GOVERNOR_API_KEY.' };
  try {
    const body = { estimate_usd: HUGE_USD, ...(userId === undefined ? {} : { user_id: userId }) };
    // It answers at once or a hook would let the call pass, so nothing is tried again.
    const pause = () => Promise.reject(new Error('it does not answer now'));
    const { allow, budgets } = await ask(
      target,
      '/api/v1/budgets/check',
      JSON.stringify(body),
      pause,
      checked,
    );
    if (!allow || budgets.some(({ enforce }) => enforce === 'hard'))
      return {
        name,
        stops: true,
        detail: `${target.api} answers this key, and a hard budget counts these calls.`,
      };
    const detail = `${target.api} answers this key, but no hard budget counts these calls: none is ever refused.`;
    return { name, stops: false, detail };
  } catch (error) {
    return { name, stops: false, detail: `It cannot be asked: ${describeFailure(error)}` };
  }
}

async function examineAgent(agent: Agent, machine: Machine): Promise<Finding> {
  const { name, events } = agent;
  if (events.length === 0)
    return {
      name,
      stops: false,
      detail: 'usage-governor has no hook for it: only telemetry counts its calls.',
    };
  try {
    const hooks = await agent.findHooks(machine);
    const problems = await Promise.all(events.map((event) => problemOf(event, hooks, machine)));
    const problem = problems.find((one) => one !== null) ?? null;
    return {
      name,
      stops: problem === null,
      detail: problem ?? `${events.join(' and ')} ask before each call.`,
    };
  } catch (error) {
    return { name, stops: false, detail: `Its hooks could not be read: ${describeFailure(error)}` };
  }
}

/** Why nothing stops at this event, or null when one of its hooks does. */
async function problemOf(
  event: string,
  hooks: readonly AskingHook[],
  machine: Machine,
): Promise<string | null> {
  let problem = `No ${event} hook asks usage-governor: docs/budgets.md has the settings.`;
  for (const hook of hooks.filter((one) => one.event === event)) {
    const reason = hook.obstacle ?? (await probe(hook, machine));
    if (reason === null) return null;
    problem = `The ${event} hook in ${hook.file}: ${reason}`;
  }
  return problem;
}
