import type { Remedy } from '../hooks/wing.ts';
import { prices } from './prices/remedy.ts';

/** The dialogs of wings by which an admin ends what a notice says. */
export const REMEDIES: readonly Remedy[] = [prices];
