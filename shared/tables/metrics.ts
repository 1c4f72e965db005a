import * as devices from '../core/accounts/devices/metrics.ts';
import * as ingest from '../core/calls/ingest/metrics.ts';
import * as usage from '../core/calls/usage/metrics.ts';
import * as credits from '../core/credits/metrics.ts';
import * as webhooks from '../core/events/webhooks/sending/metrics.ts';
import * as enforcement from '../core/limits/enforcement/state/metrics.ts';
import * as retention from '../core/retention/metrics.ts';
import type { DeclaredMetric, Metrics } from '../platform/basics/metrics.ts';
import * as platform from '../platform/context/metrics.ts';
import { WINGS } from './wings.ts';

const CORE = [credits, devices, enforcement, ingest, platform, retention, usage, webhooks].flatMap(
  (declared) => Object.values<DeclaredMetric<unknown>>(declared),
);

/** Shows every metric of the nouns from the start of a process on, also those that have not counted anything yet. */
export function registerMetrics(ctx: { metrics: Metrics }): void {
  for (const metric of [...CORE, ...WINGS.flatMap(({ metrics = [] }) => metrics)]) metric(ctx);
}
