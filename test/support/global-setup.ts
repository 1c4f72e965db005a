import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { ROOT } from '../../packages/stack/files.ts';
import { findFreePort } from '../../packages/stack/ports.ts';
import { type RunningStore, startFace, startMongo, startRedis } from '../../packages/stack/stores.ts';
import { bareEnv } from './bare-env.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    mongoUrl: string;
    redisUrl: string;
  }
}

/**
 * Real stores for all test files, found as scripts/up finds them: named by the environment, on PATH, or the embedded
 * pair, on free ports with files that go away afterwards. Each test file takes databases of its own in them.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The tests start some hundred processes of ours: each finds what the one before it compiled.
  process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/node');
  if (!existsSync(process.env.NODE_COMPILE_CACHE)) await compilePrograms();
  await buildDashboard();
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-stores-'));
  const started: RunningStore[] = [];
  const { MONGODB_URL, REDIS_URL } = process.env;
  if (!MONGODB_URL)
    started.push(await startMongo({ port: await findFreePort(), dir: join(folder, 'mongo'), fast: true }));
  const [embedded] = started;
  const names = process.env.MONGOD_FACE === 'all' ? ['mongod-face', 'drills'] : ['mongod-face'];
  const behind = project.vitest.projects.filter(({ name }) => names.includes(name));
  if (behind.length > 0 && embedded?.url.includes('replicaSet=secantus')) {
    const face = await startFace(embedded.url, join(folder, 'mongod-face'));
    started.push(face);
    for (const own of behind) own.provide('mongoUrl', face.url);
  }
  project.provide('mongoUrl', MONGODB_URL || (embedded?.url ?? ''));
  if (!REDIS_URL)
    started.push(await startRedis({ port: await findFreePort(), dir: join(folder, 'redis'), fast: true }));
  project.provide('redisUrl', REDIS_URL || (started.at(-1)?.url ?? ''));
  return async () => {
    await Promise.all(started.map((store) => store.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Node keeps what it has compiled as a process ends, and a drill kills them. Without settings each of these ends by itself. */
async function compilePrograms(): Promise<void> {
  const programs = ['api/main.ts', 'workers/main.ts', 'scripts/governor.ts'];
  const options = { cwd: ROOT, env: bareEnv(), stdio: 'ignore' } as const;
  await Promise.all(programs.map((program) => once(spawn(process.execPath, [program], options), 'exit')));
}

/** The dashboard's files, where they have changed. */
async function buildDashboard(): Promise<void> {
  const build = spawn(process.execPath, ['scripts/dashboard/build.ts', '--if-changed'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  const [code] = await once(build, 'exit');
  if (code !== 0) throw new Error('The dashboard was not built; the reason is above.');
}
