import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../packages/stack/files.ts';
import { describeError } from '../../packages/stack/progress.ts';
import { SetupError } from '../../packages/stack/setup-error.ts';

export const USAGE = `Usage: scripts/up [options]

Installs what is missing, then runs the stores, the api and the worker until Ctrl-C.

  --port N        port of the api (default 8080)
  --data DIR      where everything is kept (default .data); a second start there goes on where the first ended
  --empty         no demo traffic; the demo organizations exist all the same
  --time-scale N  divides the waits between webhook attempts; development and tests only
  --mongod-face   the embedded MongoDB behaves as a mongod 8 (docs/stores.md)
  --json          print one line of JSON on stdout when everything is ready, and nothing else

MONGODB_URL and REDIS_URL name stores that run already; every other variable (.env.example) is passed on.
`;

export type UpOptions = {
  port: number;
  dataDir: string;
  empty: boolean;
  timeScale: string | null;
  json: boolean;
  mongodFace: boolean;
};

/** Throws a SetupError that names the option. "help" when only the usage is wanted. */
export function parseUpOptions(args: string[], env: NodeJS.ProcessEnv): UpOptions | 'help' {
  const given = readArguments(args);
  if (given.help) return 'help';
  return {
    port: parsePort(given.port ?? (env.PORT || '8080')),
    dataDir: given.data ?? join(ROOT, '.data'),
    empty: given.empty ?? false,
    timeScale: given['time-scale'] === undefined ? null : parseTimeScale(given['time-scale'], env),
    json: given.json ?? false,
    mongodFace: given['mongod-face'] ?? false,
  };
}

function readArguments(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = {
    port: text,
    data: text,
    'time-scale': text,
    empty: flag,
    json: flag,
    'mongod-face': flag,
    help: { ...flag, short: 'h' },
  } as const;
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new SetupError(describeError(error), USAGE);
  }
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new SetupError(
    `--port ${text} is not a port.`,
    'Give a number from 1 to 65535: scripts/up --port 8080',
  );
}

function parseTimeScale(text: string, env: NodeJS.ProcessEnv): string {
  if (env.NODE_ENV === 'production') {
    throw new SetupError(
      '--time-scale is refused when NODE_ENV=production: it shortens the waits between webhook attempts.',
      'Leave the option away, or unset NODE_ENV.',
    );
  }
  const factor = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (factor >= 1) return text;
  throw new SetupError(
    `--time-scale ${text} is not a factor.`,
    'Give a number of at least 1: scripts/up --time-scale 100',
  );
}
