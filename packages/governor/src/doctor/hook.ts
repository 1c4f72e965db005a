import { existsSync, readFileSync } from 'node:fs';
import { asObject, type Json, parseObject } from '../readers/history.ts';

/** This machine as the agents on it see it. */
export interface Machine {
  readonly home: string;
  /** The folder that agents are started in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
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

/** The objects of a list; none for anything else. */
export function asObjects(value: unknown): Json[] {
  if (!Array.isArray(value)) return [];
  return value.map(asObject).filter((item) => item !== undefined);
}
