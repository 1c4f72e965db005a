import { existsSync, readFileSync } from 'node:fs';
import { asObject, type Json, parseObject } from '../readers/history.ts';

/** This machine as the agents on it see it. */
export interface Machine {
  readonly home: string;
  /** The folder that agents are started in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folders of Claude Code's managed settings; default: those of the system. */
  readonly managedFolders?: readonly string[];
}

/** A hook in an agent's settings that asks usage-governor before something is done. */
export interface AskingHook {
  /** The agent's own name of the event. */
  readonly event: string;
  /** The settings file that names it. */
  readonly file: string;
  readonly asks:
    | { readonly command: string }
    | { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  /** Variables that the agent's settings set for it, over those of the machine. */
  readonly env?: Machine['env'];
  /** Why the agent does not run it as it is, and what to do; null when it does. */
  readonly obstacle: string | null;
}

/** Recognizes a command that asks: ours, under whatever path. */
export function isAskingCommand(command: unknown): command is string {
  return typeof command === 'string' && /governor\S*\s.*\bcheck\b/.test(command);
}

/** A settings file of an agent. */
export interface Settings {
  readonly file: string;
  readonly content: Json;
}

/** Reads the settings files that exist, in order. Throws for one that is no JSON object: its agent ignores it too. */
export function readSettings(files: readonly string[]): Settings[] {
  return files
    .filter((file) => existsSync(file))
    .map((file) => {
      const content = parseObject(readFileSync(file, 'utf8'));
      if (!content) throw new Error(`${file} is not a JSON object`);
      return { file, content };
    });
}

/** The shortest timeout that leaves a check the time to answer. */
const LEAST_TIMEOUT_S = 3;
const MATCHES_ALL: readonly unknown[] = [undefined, null, '', '*', '.*', '^.*$'];

/** Why an agent that runs a hook with these settings does not wait for its answer at each call; null when it does. */
export function settingsObstacle(hook: {
  matcher: unknown;
  isAsync?: unknown;
  timeoutS: unknown;
  condition?: unknown;
}): string | null {
  const { matcher, isAsync, timeoutS, condition } = hook;
  if (!MATCHES_ALL.includes(matcher))
    return `It is asked for ${JSON.stringify(matcher)} only: leave the matcher out.`;
  if (condition !== undefined && condition !== null && condition !== '')
    return `It is asked if ${JSON.stringify(condition)} only: leave \`if\` out.`;
  if (isAsync === true) return 'It is async, so nothing waits for its answer: leave `async` out.';
  if (typeof timeoutS === 'number' && timeoutS < LEAST_TIMEOUT_S)
    return `Its timeout of ${timeoutS} s is too short for an answer: set ${LEAST_TIMEOUT_S} s or more.`;
  return null;
}

/** The objects of a list; none for anything else. */
export function asObjects(value: unknown): Json[] {
  if (!Array.isArray(value)) return [];
  return value.map(asObject).filter((item) => item !== undefined);
}
