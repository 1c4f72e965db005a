import type { Command } from 'commander';
import type { Api } from './ask.ts';

/** Where a command finds the api and its key. */
export interface Target {
  /** A variable that is empty counts as unset. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where no `--api` and `--key` are given. */
  readonly fallback: () => { api?: string | undefined; key?: string | undefined };
}

export interface TargetFlags {
  api?: string;
  key?: string;
}

/** Adds the options that say where to ask, and with which key. `scopes` are those that it needs. */
export function withTarget(command: Command, scopes?: string): Command {
  return command
    .option('--api <url>', 'default: GOVERNOR_API')
    .option('--key <key>', `API key${scopes ? ` with ${scopes}` : ''}; default: GOVERNOR_API_KEY`);
}

/** The api and the key of a command, or null when there is none. */
export function findTarget(flags: TargetFlags, { env, fallback }: Target): Api | null {
  const other = fallback();
  const api = flags.api || env.GOVERNOR_API || other.api;
  const apiKey = flags.key || env.GOVERNOR_API_KEY || other.key;
  return api && apiKey ? { api, apiKey } : null;
}

/** The api and the key of a command. Throws when there is none. */
export function targetOf(flags: TargetFlags, target: Target): Api {
  const found = findTarget(flags, target);
  if (!found) throw new Error('Name --api and --key, or set GOVERNOR_API and GOVERNOR_API_KEY.');
  return found;
}
