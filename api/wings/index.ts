import type { ApiWing } from '../hooks/wing.ts';
import { analytics } from './analytics/wing.ts';
import { anomalies } from './anomalies/wing.ts';
import { digests } from './digests/wing.ts';
import { exports } from './exports/wing.ts';
import { held } from './held/wing.ts';
import { prices } from './prices/wing.ts';
import { purchases } from './purchases/wing.ts';
import { push } from './push/wing.ts';
import { raises } from './raises/wing.ts';
import { refusals } from './refusals/wing.ts';
import { search } from './search/wing.ts';
import { work } from './work/wing.ts';

/** The parts of all wings in the API, in the order of shared/tables/wings.ts. */
export const API_WINGS: readonly ApiWing[] = [
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
