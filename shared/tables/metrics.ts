import * as codeHosts from '../code-hosts/metrics.ts';
import * as credits from '../credits/metrics.ts';
import * as destinations from '../destinations/metrics.ts';
import * as devices from '../devices/metrics.ts';
import * as enforcement from '../enforcement/metrics.ts';
import * as ingest from '../ingest/metrics.ts';
import * as moves from '../moves/metrics.ts';
import type { Metrics } from '../platform/basics/metrics.ts';
import * as platform from '../platform/context/metrics.ts';
import * as raises from '../raises/metrics.ts';
import * as retention from '../retention/metrics.ts';
import * as usage from '../usage/metrics.ts';
import * as webhooks from '../webhooks/sending/metrics.ts';

/** Shows every metric of the nouns from the start of a process on, also those that have not counted anything yet. */
export function registerMetrics(ctx: { metrics: Metrics }): void {
  for (const declared of [
    codeHosts,
    credits,
    destinations,
    devices,
    enforcement,
    ingest,
    moves,
    platform,
    raises,
    retention,
    usage,
    webhooks,
  ])
    for (const metric of Object.values(declared)) metric(ctx);
}
