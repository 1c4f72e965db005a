import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ShownOrganization } from '../demo-file.ts';
import type { ProcessName } from '../supervise.ts';
import { writePrivateJson } from './files.ts';

/** The one line of --json. A store that somebody else runs has no pid of ours. */
export type ReadyLine = {
  api: string;
  operator_token: string;
  mongo_url: string;
  redis_url: string;
  pids: Record<Exclude<ProcessName, 'idp'>, number | null>;
  orgs: ShownOrganization[];
};

export function showPids(pids: Map<ProcessName, number>): ReadyLine['pids'] {
  const pid = (name: ProcessName) => pids.get(name) ?? null;
  return { api: pid('api'), worker: pid('worker'), redis: pid('redis'), mongo: pid('mongo') };
}

/** `up.json` is the current line for as long as the run lasts. */
export function publishLine(dataDir: string, line: ReadyLine): void {
  writePrivateJson(join(dataDir, 'up.json'), line);
}

export function withdrawLine(dataDir: string): void {
  rmSync(join(dataDir, 'up.json'), { force: true });
}
