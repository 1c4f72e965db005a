import { warnOfRedis } from '../core/credits/meter/shards.ts';
import { warnOfUnsentAlerts } from '../core/events/webhooks/deliveries/failing-webhook.ts';
import { warnOfClock } from '../platform/context/clock-skew.ts';
import { warnOfPaused } from '../platform/context/paused-queues.ts';
import type { Warning } from '../platform/context/readiness.ts';
import { JOBS } from './jobs.ts';
import { WINGS } from './wings.ts';

/** Every warning of `/readyz`. Each is declared by its noun; no noun imports this table. */
export const WARNINGS: readonly Warning[] = [
  warnOfUnsentAlerts,
  warnOfClock,
  warnOfRedis,
  warnOfPaused(JOBS),
  ...WINGS.flatMap(({ warnings = [] }) => warnings),
];
