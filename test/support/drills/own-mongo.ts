import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../../scripts/stack/ports.ts';
import { startMongo } from '../../../scripts/stack/stores.ts';

export interface OwnMongo {
  url: string;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

/**
 * A MongoDB of one test file: what a killed process had in a transaction stays locked for seconds, and would hold up
 * every other file that creates or drops a collection meanwhile.
 */
export async function startOwnMongo(): Promise<OwnMongo> {
  const dir = mkdtempSync(join(tmpdir(), 'usage-governor-mongo-'));
  const store = await startMongo({ port: await findFreePort(), dir, fast: true });
  return {
    url: store.url,
    stop: async () => {
      await store.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
