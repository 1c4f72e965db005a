import { z } from 'zod';
import { job } from '../../../platform/queues/job.ts';

/** Compares the rollups with their signals, and the snapshots with their rollups. */
export const reconcileUsageJob = job('reconcile-usage', {});

/** Makes snapshots of closed days and months: of one organization and range (epoch ms), or of all, the latest. */
export const makeSnapshotsJob = job('make-snapshots', {
  range: z.strictObject({ org_id: z.string(), from_ms: z.int(), to_ms: z.int() }).optional(),
});
