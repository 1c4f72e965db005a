import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ShownOrganization } from '../demo/file.ts';
import { writePrivateJson } from '../stack/files.ts';
import type { ProcessName } from '../stack/supervise.ts';

/** The one line of --json. The pid is null for what this run has not started: a store that the environment names, say. */
export type ReadyLine = {
  api: string;
  operator_token: string;
  mongo_url: string;
  redis_url: string;
  pids: Record<ProcessName, number | null>;
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

/** Removes `up.json`: nothing runs any more. */
export function withdrawLine(dataDir: string): void {
  rmSync(join(dataDir, 'up.json'), { force: true });
}
