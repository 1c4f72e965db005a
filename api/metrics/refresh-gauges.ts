import { readBudgetGauges } from '../../shared/budgets/gauges.ts';
import { organizationRows } from '../../shared/organizations/model.ts';
import { within } from '../../shared/platform/basics/within.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { perContext } from '../../shared/platform/context/per-context.ts';
import { readUsageGauges } from '../../shared/usage/gauges.ts';

/** However often it is scraped, the stores are asked this often. */
const EVERY_MS = 15_000;
/** A scrape waits no longer: it then tells what was read before. */
const LONGEST_MS = 2_000;

const reading = perContext((): { atMs: number; done: Promise<void> } => ({
  atMs: Number.NEGATIVE_INFINITY,
  done: Promise.resolve(),
}));

/** Brings the gauges of usage and budgets up to date. Never throws: without MongoDB the others are still told. */
export async function refreshGauges(ctx: Context): Promise<void> {
  const last = reading(ctx);
  const nowMs = ctx.clock.now();
  if (nowMs - last.atMs >= EVERY_MS) {
    last.atMs = nowMs;
    last.done = readGauges(ctx).catch((error: unknown) =>
      ctx.log.warn({ err: error }, 'the gauges of usage and budgets could not be read'),
    );
  }
  await within(LONGEST_MS, 'Reading the gauges', last.done).catch(() => undefined);
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
