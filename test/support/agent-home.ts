import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../packages/stack/files.ts';
import { bareEnv } from './bare-env.ts';

const MAIN = join(ROOT, 'packages/governor/src/main.ts');

type Variables = Record<string, string>;

/** How a program ended, and all that it wrote. */
interface Ran {
  code: number;
  output: string;
}

/** The home of a person beside whose agents `governor` runs from its sources, and whose git knows nothing of this machine. */
export interface AgentHome {
  folder: string;
  /** The environment of the person. */
  env: Variables;
  /** Puts a script of a shell into the path of the person. */
  writeProgram: (name: string, script: string) => void;
  /** Runs a program in a folder with this on its input, however it ends. Servers of this process can answer it meanwhile. */
  start: (command: readonly string[], cwd: string, input?: string, more?: Variables) => Promise<Ran>;
  /** Runs a program of a folder, which must succeed, and returns what it printed. */
  run: (cwd: string, command: readonly string[], more?: Variables) => Promise<string>;
}

/** With these variables of the person's own. The folder is one of a test or a file. */
export function makeAgentHome(folder: string, variables: Variables = {}): AgentHome {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const env: Variables = {
    ...bareEnv(),
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    ...variables,
  };
  for (const who of ['AUTHOR', 'COMMITTER'])
    Object.assign(env, { [`GIT_${who}_NAME`]: 'Ada', [`GIT_${who}_EMAIL`]: 'ada@example.org' });
  const writeProgram = (name: string, script: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  writeProgram('governor', `exec '${process.execPath}' --no-warnings '${MAIN}' "$@"`);
  const start: AgentHome['start'] = ([program = '', ...args], cwd, input = '', more = {}) =>
    new Promise((resolve) => {
      const child = execFile(program, args, { cwd, env: { ...env, ...more } }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
      );
      child.stdin?.end(input);
    });
  const run: AgentHome['run'] = async (cwd, [program = '', ...args], more = {}) =>
    (await promisify(execFile)(program, args, { cwd, env: { ...env, ...more } })).stdout;
  return { folder, env, writeProgram, start, run };
}
