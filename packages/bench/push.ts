import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { readOrganization } from '../../shared/core/accounts/organizations/read-organization.ts';
import { reconcileUsage } from '../../shared/core/calls/usage/reconcile-usage.ts';
import { isoTime } from '../../shared/platform/basics/clock.ts';
import { destinationInput } from '../../shared/wings/push/destinations/input.ts';
import { createDestination } from '../../shared/wings/push/destinations/manage-destinations.ts';
import { exportRunRows } from '../../shared/wings/push/destinations/model.ts';
import { askForRun } from '../../shared/wings/push/destinations/runs/ask-for-run.ts';
import { runDestination } from '../../shared/wings/push/destinations/runs/run-destination.ts';
import { numberOption, type Row, report, round } from './bench.ts';
import { seedFocus } from './focus.ts';
import { makeKey, type Stage, setStage } from './stage.ts';

const DAY_MS = 86_400_000;
const DAYS = 31;

/**
 * Runs of a destination over 31 days of FOCUS and daily files, in this process: the first one writes all, the next finds all
 * unchanged, and one after a late call writes its day. `--signals N`.
 */
export async function runPushBench(args: string[]): Promise<void> {
  const signals = numberOption(args, 'signals', 200_000);
  const folder = mkdtempSync(join(tmpdir(), 'usage-governor-bench-exports-'));
  const stage = await setStage({ EXPORT_FOLDER: folder });
  const rows: Row[] = [];
  try {
    const { orgId } = await makeKey(stage);
    const toMs = Math.floor(stage.ctx.clock.now() / DAY_MS) * DAY_MS;
    const since = isoTime(toMs - DAYS * DAY_MS).slice(0, 10);
    await organizationRows(stage.ctx).updateOne(
      { _id: orgId },
      { $set: { created_at: new Date(toMs - 40 * DAY_MS) } },
    );
    await seedFocus(stage, orgId, { signals, toMs, days: DAYS });
    const organization = await readOrganization(stage.ctx, orgId);
    await reconcileUsage(stage.ctx, organization, { fromMs: 0, repair: true });
    const body = destinationInput.parse({
      name: 'bench',
      kind: 'folder',
      prefix: 'bench',
      since,
      levels: [
        { level: 'focus', format: 'parquet' },
        { level: 'daily', format: 'parquet' },
      ],
    });
    const { _id } = await createDestination(stage.ctx, orgId, body);
    for (const run of ['first', 'unchanged', 'unchanged again'])
      rows.push({ run, signals, ...(await measureRun(stage, orgId, _id)) });
  } finally {
    await stage.stop();
    rmSync(folder, { recursive: true });
  }
  report('push', rows);
}

async function measureRun({ ctx }: Stage, orgId: string, id: string): Promise<Row> {
  const asked = await askForRun(ctx, orgId, id, { from: null, to: null, force: false });
  const began = performance.now();
  await runDestination(ctx, id);
  const seconds = round((performance.now() - began) / 1_000);
  const run = await exportRunRows(ctx).findOne({ _id: asked._id });
  if (run?.state !== 'succeeded') throw new Error(`The run failed: ${run?.detail}`);
  const { partitions_written: written, partitions_unchanged: unchanged, rows, bytes } = run;
  return { seconds, written, unchanged, rows, MB: round(bytes / 1e6) };
}
