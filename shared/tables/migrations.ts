import { keepWindows, unfoldMonths } from '../core/limits/budgets/rules/migrations.ts';
import type { Migration } from '../platform/mongo/schema.ts';
import { indexOrder } from './index-order.ts';
import { WINGS } from './wings.ts';

/** Every change of form that data of an earlier version goes through, in order, for `release`. */
export const MIGRATIONS: readonly Migration[] = [
  keepWindows,
  indexOrder,
  unfoldMonths,
  ...WINGS.flatMap(({ migrations = [] }) => migrations),
].toSorted((one, other) => one.version - other.version);
