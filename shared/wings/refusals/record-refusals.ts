import { randomBytes } from 'node:crypto';
import type { Refusal } from '../../core/limits/enforcement/check/refused.ts';
import { every } from '../../platform/basics/every.ts';
import { base62 } from '../../platform/basics/ids.ts';
import { within } from '../../platform/basics/within.ts';
import type { Batching } from '../../platform/context/batcher.ts';
import type { Context } from '../../platform/context/context.ts';
import { perContext } from '../../platform/context/per-context.ts';
import { refusals } from './metrics.ts';
import { createTallies, type Tallies } from './tally.ts';
import { writeTallies } from './write-tallies.ts';

/** A killed process loses as much. */
const WRITTEN_EACH_MS = 2_000;
const WRITE_DEADLINE_MS = 10_000;
/** A reader waits no longer for the calls that this process has counted. */
const READER_PATIENCE_MS = 1_000;
/** A process that ends tries so often. */
const LAST_ATTEMPTS = 3;

const talliesOf: (ctx: Context) => Tallies = perContext((ctx) => {
  const tallies = createTallies(base62(randomBytes(9), 12));
  const stop = every(WRITTEN_EACH_MS, () => writeAll(ctx, tallies, 1));
  ctx.onClose(() => {
    void stop();
    void writeAll(ctx, tallies, LAST_ATTEMPTS);
  });
  return tallies;
});

/** Counts a refused call in memory, which is written every two seconds and when the process ends. */
export function noteRefused(ctx: Context, refusal: Refusal): void {
  refusals(ctx).inc({ way: refusal.way, cause: refusal.cause });
  talliesOf(ctx).add(refusal, ctx.clock.now());
}

/** Writes the refused calls of an organization that this process has counted, so that a reader sees them. Never rejects. */
export async function writeOwn(ctx: Context, orgId: string): Promise<void> {
  const tallies = talliesOf(ctx);
  if (tallies.unwritten(orgId).length === 0) return;
  await within(READER_PATIENCE_MS, 'Writing refusals', writeAll(ctx, tallies, 1)).catch(() => undefined);
}

/** One write at a time in the process. One that fails leaves its calls to the next. */
async function writeAll(ctx: Context, tallies: Tallies, attempts: number): Promise<void> {
  tallies.forget(ctx.clock.now());
  for (let attempt = 1; attempt <= attempts && tallies.unwritten().length > 0; attempt += 1)
    await ctx.batcher.submit('refusals', tallies, writing(ctx)).catch((error: unknown) => {
      ctx.log.warn({ err: error }, 'refused calls were not written yet');
    });
}

function writing(ctx: Context): Batching<Tallies, void> {
  return {
    maxWeight: 1_000,
    weigh: () => 1,
    deadlineMs: WRITE_DEADLINE_MS,
    run: async (asked) => {
      for (const tallies of new Set(asked)) await writeTallies(ctx, tallies, tallies.unwritten());
      return asked.map(() => undefined);
    },
  };
}
