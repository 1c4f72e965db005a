import type { Watch } from '../hooks/concern.ts';
import { held } from './held/watch.ts';
import { raises } from './raises/watch.ts';

/** The questions of wings whose answers an admin is told of above every page, in the order of the notices. */
export const WATCHES: readonly Watch[] = [raises, held];
