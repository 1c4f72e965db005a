/** A coding agent or an application, and the models that it calls. */
type Tool = { adapter: string; models: [provider: string, model: string][]; context: number };
/** How one person works. */
export type Habit = {
  tool: Tool;
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

/** How each member works, in the order of the first demo organization's members. */
export const HABITS: Habit[] = [
  {
    tool: TOOLS.claudeCode,
    projects: ['governance', 'infra'],
    hours: [8, 15],
    weekends: false,
    sessionsPerDay: 2,
    callsPerSession: 14,
    errorRate: 0.01,
  },
  {
    tool: TOOLS.claudeCode,
    projects: ['infra', 'gateway'],
    hours: [7, 16],
    weekends: false,
    sessionsPerDay: 4,
    callsPerSession: 26,
    errorRate: 0.02,
  },
  {
    tool: TOOLS.codex,
    projects: ['gateway'],
    hours: [9, 17],
    weekends: false,
    sessionsPerDay: 3,
    callsPerSession: 22,
    errorRate: 0.02,
  },
  {
    tool: TOOLS.gemini,
    projects: ['storefront'],
    hours: [10, 20],
    weekends: true,
    sessionsPerDay: 2,
    callsPerSession: 18,
    errorRate: 0.03,
  },
  {
    tool: TOOLS.codex,
    projects: ['storefront', 'mobile'],
    hours: [0, 9],
    weekends: false,
    sessionsPerDay: 3,
    callsPerSession: 16,
    errorRate: 0.01,
  },
  {
    tool: TOOLS.app,
    projects: ['reporting'],
    hours: [4, 22],
    weekends: true,
    sessionsPerDay: 4,
    callsPerSession: 24,
    errorRate: 0.04,
  },
];
