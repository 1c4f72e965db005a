import { keepWindowsUntilFolded } from '../core/limits/budgets/rules/migrations.ts';
import type { Migration } from '../platform/mongo/schema.ts';
import { countPullRequests } from '../wings/work/pull-requests/counts.ts';
import { indexOrder } from './index-order.ts';

/** Every change of form that data of an earlier version goes through, in order, for `release`. */
export const MIGRATIONS: readonly Migration[] = [keepWindowsUntilFolded, countPullRequests, indexOrder];
