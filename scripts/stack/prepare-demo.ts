import { readConfig } from '../../shared/config.ts';
import { openContext } from '../../shared/context.ts';
import { ensureDemoOrganizations } from '../demo.ts';

/**
 * A process of its own, so that scripts/up, which runs for as long as the others do, stays small: DATA.
 * Writes the demo organizations as one line of JSON to stdout; the log would go there too, so it is silent.
 */
const [dataDir = ''] = process.argv.slice(2);
const ctx = await openContext(readConfig({ ...process.env, LOG_LEVEL: 'silent' }), { process: 'cli' });
try {
  process.stdout.write(`${JSON.stringify(await ensureDemoOrganizations(ctx, dataDir))}\n`);
} finally {
  await ctx.close();
}
