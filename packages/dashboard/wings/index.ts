import type { DashboardWing } from '../hooks/wing.ts';
import { analytics } from './analytics/wing.ts';
import { anomalies } from './anomalies/wing.ts';
import { exports } from './exports/wing.ts';
import { push } from './push/wing.ts';
import { raises } from './raises/wing.ts';
import { work } from './work/wing.ts';

/** The wings that have pages, in the order of shared/tables/wings.ts. */
export const DASHBOARD_WINGS: readonly DashboardWing[] = [raises, work, anomalies, analytics, exports, push];
