import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writePrivateJson } from '../../packages/stack/files.ts';
import type { ProcessName } from '../../packages/stack/supervise.ts';
import type { ShownOrganization } from '../demo/file.ts';

/** The one line of --json. The pid is null for what this run has not started: a store that the environment names, say. */
export type ReadyLine = {
  api: string;
  operator_token: string;
  mongo_url: string;
  redis_url: string;
  pids: Record<Exclude<ProcessName, 'mongod-face'>, number | null>;
  orgs: ShownOrganization[];
};

/** The pids as the line shows them. */
export function showPids(pids: Map<ProcessName, number>): ReadyLine['pids'] {
  const pid = (name: ProcessName) => pids.get(name) ?? null;
  return {
    api: pid('api'),
    worker: pid('worker'),
    idp: pid('idp'),
    redis: pid('redis'),
    mongo: pid('mongo'),
  };
}

/** `up.json` is the current line for as long as the run lasts. */
export function publishLine(dataDir: string, line: ReadyLine): void {
  writePrivateJson(join(dataDir, 'up.json'), line);
}

/** The settings of the running service that the command line needs too, and that no store has. */
const SHARED_SETTINGS = ['OIDC_ISSUER', 'OIDC_AUDIENCE', 'OIDC_CLIENT_ID', 'PLANS_FILE'] as const;

/** Writes `settings.json`, so that the command line judges and changes by the settings of the service. */
export function publishSettings(dataDir: string, env: Readonly<Record<string, string>>): void {
  const paths: Record<string, string> = env.PLANS_FILE ? { PLANS_FILE: resolve(env.PLANS_FILE) } : {};
  const given = SHARED_SETTINGS.flatMap((name) => (env[name] ? [[name, env[name]]] : []));
  writePrivateJson(join(dataDir, 'settings.json'), { ...Object.fromEntries(given), ...paths });
}

/** Removes `up.json` and `settings.json`: nothing runs any more. */
export function withdrawLine(dataDir: string): void {
  for (const name of ['up.json', 'settings.json']) rmSync(join(dataDir, name), { force: true });
}
