// The wings in the order in which their hooks run. push needs exports, and digests needs anomalies and held (needs.json).
import type { Wing } from '../core/hooks/wing.ts';
import { analytics } from '../wings/analytics/wing.ts';
import { anomalies } from '../wings/anomalies/wing.ts';
import { digests } from '../wings/digests/wing.ts';
import { exports } from '../wings/exports/wing.ts';
import { held } from '../wings/held/wing.ts';
import { prices } from '../wings/prices/wing.ts';
import { purchases } from '../wings/purchases/wing.ts';
import { push } from '../wings/push/wing.ts';
import { raises } from '../wings/raises/wing.ts';
import { refusals } from '../wings/refusals/wing.ts';
import { search } from '../wings/search/wing.ts';
import { work } from '../wings/work/wing.ts';

/** Every wing. All other tables are made of the core’s rows and theirs. */
export const WINGS: readonly Wing[] = [
  digests,
  raises,
  work,
  held,
  anomalies,
  analytics,
  exports,
  push,
  search,
  purchases,
  prices,
  refusals,
];
