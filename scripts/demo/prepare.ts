import { waitUntil } from '../../packages/stack/wait.ts';
import { readConfig } from '../../shared/platform/basics/config.ts';
import { isCode } from '../../shared/platform/basics/errors.ts';
import { openContext } from '../../shared/platform/context/context.ts';
import { waitUntilReady } from '../../shared/platform/redis/connect.ts';
import { WINGS } from '../../shared/tables/wings.ts';
import { ensureDemoOrganizations } from './organizations.ts';

/**
 * A process of its own, so that scripts/up, which runs for as long as the others do, stays small: DATA.
 * Writes the demo organizations as one line of JSON to stdout; the log would go there too, so it is silent.
 */
const [dataDir = ''] = process.argv.slice(2);
const ctx = await openContext(readConfig({ ...process.env, LOG_LEVEL: 'silent' }), {
  process: 'cli',
  wings: WINGS,
});
try {
  await Promise.all([waitUntilReady(ctx.redis.meter, 5_000), waitUntilReady(ctx.redis.producer, 5_000)]);
  process.stdout.write(`${JSON.stringify(await ensureOnceOpen())}\n`);
} finally {
  await ctx.close();
}

/** Devices are linked once the worker has opened the credits; a second try finds what the first has made. */
async function ensureOnceOpen(): Promise<unknown> {
  let organizations: unknown;
  const isOpen = async () => {
    try {
      organizations = await ensureDemoOrganizations(ctx, dataDir);
      return true;
    } catch (error) {
      if (isCode(error, 'rebuilding')) return false;
      throw error;
    }
  };
  if (await waitUntil(isOpen, { timeoutMs: 30_000, pauseMs: 100 })) return organizations;
  throw new Error('The credits were not opened within 30 s.');
}
