import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ROOT, writePrivateJson } from '../../packages/stack/files.ts';
import type { ProcessName } from '../../packages/stack/supervise.ts';
import { VARIABLE_NAMES } from '../../shared/platform/basics/config.ts';
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

/** Variables that `up.json` has, that each process has by itself, and secrets that no command needs. */
const UNSHARED = new Set([
  'MONGODB_URL',
  'REDIS_URL',
  'NODE_ENV',
  'LOG_LEVEL',
  'HOST',
  'PORT',
  'WORKER_PORT',
  'OIDC_CLIENT_SECRET',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
]);
const FILES = new Set(['PLANS_FILE', 'SIGNING_KEY_FILE']);

/** Writes `settings.json`, so that the command line judges and changes by the settings of the service. */
export function publishSettings(dataDir: string, env: Readonly<Record<string, string>>): void {
  const shared = VARIABLE_NAMES.filter((name) => env[name] && !UNSHARED.has(name));
  // The service runs in this folder, a command in any.
  const settingOf = (name: string) => (FILES.has(name) ? resolve(ROOT, env[name] ?? '') : env[name]);
  const settings = Object.fromEntries(shared.map((name) => [name, settingOf(name)]));
  writePrivateJson(join(dataDir, 'settings.json'), settings);
}

/** Removes `up.json` and `settings.json`: nothing runs any more. */
export function withdrawLine(dataDir: string): void {
  for (const name of ['up.json', 'settings.json']) rmSync(join(dataDir, name), { force: true });
}
