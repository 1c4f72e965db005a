import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../../packages/stack/ports.ts';
import { startFace, startMongo } from '../../../packages/stack/stores.ts';

export interface OwnMongo {
  url: string;
  /** The store's own process, for a drill that kills it. */
  child(): ChildProcess;
  /** Starts the store again after it was killed, with its files and at its address. */
  restart(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

/**
 * A MongoDB of one test file: what a killed process had in a transaction stays locked for seconds, and would hold up
 * every other file that creates or drops a collection meanwhile. With `MONGOD_FACE=all` an embedded one is behind the face of a
 * mongod (docs/stores.md). `fast` leaves out what only a power cut would need.
 */
export async function startOwnMongo({ fast = true } = {}): Promise<OwnMongo> {
  await using started = new AsyncDisposableStack();
  const dir = mkdtempSync(join(tmpdir(), 'usage-governor-mongo-'));
  started.defer(() => rmSync(dir, { recursive: true, force: true }));
  const place = { port: await findFreePort(), dir, fast };
  let store = await startMongo(place);
  started.defer(() => store.stop());
  const isBehindFace = process.env.MONGOD_FACE === 'all' && store.url.includes('replicaSet=secantus');
  const face = isBehindFace ? await startFace(store.url, join(dir, 'face')) : null;
  if (face) started.defer(() => face.stop());
  const ended = started.move();
  return {
    url: face?.url ?? store.url,
    child: () => store.child,
    restart: async () => {
      store = await startMongo(place);
    },
    stop: () => ended.disposeAsync(),
  };
}
