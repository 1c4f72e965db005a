import type { Env } from '../commands.ts';
import type { Api } from './ask.ts';

export interface TargetFlags {
  api?: string;
  key?: string;
}

/** The api and the key of a command. Throws when there is none. */
export function targetOf(flags: TargetFlags, { env, fallback }: Pick<Env, 'env' | 'fallback'>): Api {
  const other = fallback();
  const api = flags.api || env.GOVERNOR_API || other.api;
  const apiKey = flags.key || env.GOVERNOR_API_KEY || other.key;
  if (!api || !apiKey) throw new Error('Name --api and --key, or set GOVERNOR_API and GOVERNOR_API_KEY.');
  return { api, apiKey };
}
