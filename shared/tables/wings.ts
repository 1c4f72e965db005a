import type { Wing } from '../core/hooks/wing.ts';
import { anomalies } from '../wings/anomalies/wing.ts';
import { digests } from '../wings/digests/wing.ts';
import { held } from '../wings/held/wing.ts';
import { raises } from '../wings/raises/wing.ts';
import { work } from '../wings/work/wing.ts';

/** Every wing that takes part in what the core does, in the order in which their hooks run. */
export const WINGS: readonly Wing[] = [digests, raises, work, held, anomalies];
