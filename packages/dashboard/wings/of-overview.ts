import type { FirstQuestion } from '../hooks/wing.ts';
import { newestQuery } from './anomalies/query.ts';

/** The questions of wings on Overview, asked while the page is loaded. */
export const OF_OVERVIEW: readonly FirstQuestion[] = [(client) => client.prefetchQuery(newestQuery())];
