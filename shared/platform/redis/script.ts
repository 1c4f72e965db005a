import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisClient } from './connect.ts';

/** A Lua script, named by its SHA-1: two versions of the service may run side by side. */
export interface Script {
  source: string;
  sha: string;
}

/** Reads a script; several files are one script, in their order. */
export function loadScript(...files: readonly URL[]): Script {
  const source = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

/** The head of a script that reads the identity of the data (`identity()`) and Redis' time (`redis_ms()`). */
export const IDENTITY = new URL('identity.lua', import.meta.url);

/**
 * Runs a script by its name, and by its text when this Redis does not know it yet: then it has not run, so
 * sending it again is safe. Nothing else is ever sent twice.
 */
export async function runScript(
  client: RedisClient,
  script: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await client.evalsha(script.sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return client.eval(script.source, keys.length, ...keys, ...args);
  }
}

/** Returns true when Redis itself refused (its answer is an error): the command had no lasting effect. */
export function isRedisRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}
