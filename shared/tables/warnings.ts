import { warnOfRedis } from '../credits/meter/shards.ts';
import { warnOfClock } from '../platform/context/clock-skew.ts';
import type { Warning } from '../platform/context/readiness.ts';
import { warnOfUnsentAlerts } from '../webhooks/deliveries/alert-admins.ts';

/** Every warning of `/readyz`. Each is declared by its noun; no noun imports this table. */
export const WARNINGS: readonly Warning[] = [warnOfUnsentAlerts, warnOfClock, warnOfRedis];
