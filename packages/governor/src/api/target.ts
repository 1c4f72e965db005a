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

/** The api and the key of a command. Throws when there is none. */
export function targetOf(flags: TargetFlags, { env, fallback }: Target): Api {
  const other = fallback();
  const api = flags.api || env.GOVERNOR_API || other.api;
  const apiKey = flags.key || env.GOVERNOR_API_KEY || other.key;
  if (!api || !apiKey) throw new Error('Name --api and --key, or set GOVERNOR_API and GOVERNOR_API_KEY.');
  return { api, apiKey };
}
