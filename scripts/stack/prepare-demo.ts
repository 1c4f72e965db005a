import { readConfig } from '../../shared/platform/basics/config.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { openContext } from '../../shared/platform/context/context.ts';
import { waitUntilReady } from '../../shared/platform/redis/connect.ts';
import { ensureDemoOrganizations } from '../demo.ts';

/**
 * A process of its own, so that scripts/up, which runs for as long as the others do, stays small: DATA.
 * Writes the demo organizations as one line of JSON to stdout; the log would go there too, so it is silent.
 */
const [dataDir = ''] = process.argv.slice(2);
const ctx = await openContext(readConfig({ ...process.env, LOG_LEVEL: 'silent' }), { process: 'cli' });
try {
  await Promise.all([waitUntilReady(ctx.redis.meter, 5_000), waitUntilReady(ctx.redis.producer, 5_000)]);
  process.stdout.write(`${JSON.stringify(await ensureOnceOpen())}\n`);
} finally {
  await ctx.close();
}

/** Devices are linked once the worker has opened the credits; a second try finds what the first has made. */
async function ensureOnceOpen(): Promise<unknown> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    try {
      return await ensureDemoOrganizations(ctx, dataDir);
    } catch (error) {
      const isEarly = error instanceof DomainError && error.code === 'rebuilding';
      if (!isEarly || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
