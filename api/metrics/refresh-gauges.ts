import { organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { readUsageGauges } from '../../shared/core/calls/usage/gauges.ts';
import { measureShards } from '../../shared/core/credits/meter/shards.ts';
import { wingsOf } from '../../shared/core/hooks/wing.ts';
import { readBudgetGauges } from '../../shared/core/limits/budgets/show/gauges.ts';
import { within } from '../../shared/platform/basics/within.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { perContext } from '../../shared/platform/context/per-context.ts';
import { readReadiness } from '../../shared/platform/context/readiness.ts';

/** However often it is scraped, the stores are asked this often, and once at a time. */
const EVERY_MS = 15_000;
/** A scrape waits no longer: it then tells what was read before. */
const LONGEST_MS = 2_000;

const reading = perContext((): { atMs: number; current: Promise<unknown> | null } => ({
  atMs: Number.NEGATIVE_INFINITY,
  current: null,
}));

/**
 * Brings the gauges of readiness, usage, budgets, credits and the wings up to date: of readiness because nobody may ask `/readyz`, of
 * credits because there may be no worker that does. Never throws: without a store the others are still told.
 */
export async function refreshGauges(ctx: Context): Promise<void> {
  const state = reading(ctx);
  const nowMs = ctx.clock.elapsed();
  if (!state.current && nowMs - state.atMs >= EVERY_MS) {
    state.atMs = nowMs;
    state.current = Promise.all([
      readReadiness(ctx, []),
      attempt(ctx, 'usage and budgets', readGauges(ctx)),
      attempt(ctx, 'credits', measureShards(ctx)),
      ...wingsOf(ctx).map(({ name, gauges }) => attempt(ctx, name, gauges?.api?.(ctx))),
    ]).finally(() => {
      state.current = null;
    });
  }
  if (state.current) await within(LONGEST_MS, 'Reading the gauges', state.current).catch(() => undefined);
}

async function attempt(ctx: Context, gauges: string, work: Promise<unknown> | undefined): Promise<void> {
  await work?.catch((error: unknown) => ctx.log.warn({ err: error, gauges }, 'gauges could not be read'));
}

async function readGauges(ctx: Context): Promise<void> {
  const organizations = await organizationRows(ctx)
    .find({}, { projection: { timezones: 1 } })
    .sort({ _id: 1 })
    .toArray();
  await readUsageGauges(ctx, organizations);
  await readBudgetGauges(
    ctx,
    organizations.map(({ _id }) => _id),
  );
}
