import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../stack/ports.ts';
import { startMongo, startRedis } from '../stack/stores.ts';
import { copyTree } from './copy-tree.ts';

/** A copy of the tree, in which one fault at a time is planted, and the stores of its tests. */
export interface Copy {
  tree: string;
  env: Record<string, string>;
  /** Tells that the run is to end. It takes its tests and its stores with it. */
  stop: AbortSignal;
}

/** Runs a function with a copy of the tree and with stores, which go away afterwards. */
export async function inCopy(use: (copy: Copy) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => stopping.abort(`ended by ${signal}`));
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-mutation-stores-'));
  const mongo = await startMongo({ port: await findFreePort(), dir: join(folder, 'mongo'), fast: true });
  const redis = await startRedis({ port: await findFreePort(), dir: join(folder, 'redis'), fast: true });
  const tree = copyTree();
  try {
    await use({ tree, env: { MONGODB_URL: mongo.url, REDIS_URL: redis.url }, stop: stopping.signal });
  } finally {
    await Promise.all([mongo.stop(), redis.stop()]);
    for (const made of [tree, folder]) rmSync(made, { recursive: true, force: true });
  }
}
