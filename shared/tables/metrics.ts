import * as devices from '../core/accounts/devices/metrics.ts';
import * as ingest from '../core/calls/ingest/metrics.ts';
import * as usage from '../core/calls/usage/metrics.ts';
import * as credits from '../core/credits/metrics.ts';
import * as webhooks from '../core/events/webhooks/sending/metrics.ts';
import * as enforcement from '../core/limits/enforcement/state/metrics.ts';
import * as retention from '../core/retention/metrics.ts';
import type { Metrics } from '../platform/basics/metrics.ts';
import * as platform from '../platform/context/metrics.ts';
import * as destinations from '../wings/push/destinations/metrics.ts';
import * as raises from '../wings/raises/metrics.ts';
import * as codeHosts from '../wings/work/code-hosts/metrics.ts';
import * as moves from '../wings/work/moves/metrics.ts';

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
