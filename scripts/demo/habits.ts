/** A coding agent or an application, and the models that it calls. */
export type Tool = { adapter: string; models: [provider: string, model: string][]; context: number };
/** How one person works. */
export type Habit = {
  /** Each session is with one of them. */
  tools: Tool[];
  projects: string[];
  /** Hours of the day in UTC between which work begins. */
  hours: [first: number, last: number];
  weekends: boolean;
  sessionsPerDay: number;
  callsPerSession: number;
  errorRate: number;
};

/** Provider and model of most calls. */
export const CLAUDE: [string, string] = ['anthropic', 'claude-sonnet-4-5'];
const GPT: [string, string] = ['openai', 'gpt-5'];
const MINI: [string, string] = ['openai', 'gpt-4o-mini'];
const GEMINI: [string, string] = ['google', 'gemini-2.5-pro'];
/** The tools of the demo people. */
export const TOOLS = {
  claudeCode: { adapter: 'claude-code', models: [CLAUDE], context: 40_000 },
  codex: { adapter: 'codex', models: [GPT], context: 25_000 },
  gemini: { adapter: 'gemini-cli', models: [GEMINI], context: 30_000 },
  // The last one is a model of one's own, for which nobody knows a price.
  app: { adapter: 'my-app', models: [MINI, MINI, MINI, ['in-house', 'acme-summarizer-2']], context: 2_000 },
} satisfies Record<string, Tool>;

const { claudeCode, codex, gemini, app } = TOOLS;

/** How each member works, in the order of the first demo organization's members. */
export const HABITS: Habit[] = [
  work([claudeCode, gemini], ['governance', 'infra', 'reporting'], { hours: [8, 15], errorRate: 0.01 }),
  work([claudeCode, codex], ['infra', 'gateway', 'governance'], {
    hours: [7, 16],
    sessionsPerDay: 4,
    callsPerSession: 14,
  }),
  work([codex, claudeCode], ['gateway', 'infra', 'mobile'], { hours: [9, 17], callsPerSession: 12 }),
  work([gemini, codex], ['storefront', 'mobile', 'gateway'], {
    hours: [10, 20],
    weekends: true,
    errorRate: 0.03,
  }),
  work([codex, claudeCode], ['storefront', 'mobile', 'infra'], { hours: [0, 9], errorRate: 0.01 }),
  work([app, gemini], ['reporting', 'governance', 'storefront'], {
    hours: [4, 22],
    weekends: true,
    errorRate: 0.04,
  }),
  work([claudeCode, codex], ['gateway', 'infra', 'governance']),
  work([claudeCode, gemini], ['infra', 'gateway', 'storefront'], { hours: [6, 14] }),
  work([codex, app], ['mobile', 'storefront', 'reporting'], { hours: [9, 18] }),
  work([gemini, claudeCode], ['storefront', 'mobile', 'reporting']),
  work([codex, gemini, app], ['mobile', 'storefront', 'gateway'], { hours: [12, 21] }),
  work([app, claudeCode], ['reporting', 'governance', 'mobile']),
  work([app, gemini], ['governance', 'reporting', 'infra'], { hours: [7, 15] }),
  work([app, codex], ['reporting', 'governance', 'gateway'], { weekends: true }),
];

/** Work of a usual kind, but for what is given. */
function work(tools: Tool[], projects: string[], given: Partial<Habit> = {}): Habit {
  const usual = { weekends: false, sessionsPerDay: 3, callsPerSession: 8, errorRate: 0.02 };
  return { ...usual, hours: [8, 17], tools, projects, ...given };
}
