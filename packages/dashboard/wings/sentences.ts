import type { Sentence } from '../words/sentence.ts';
import { sentences as held } from './held/sentences.ts';
import { sentences as prices } from './prices/sentences.ts';
import { sentences as push } from './push/sentences.ts';
import { sentences as raises } from './raises/sentences.ts';
import { sentences as work } from './work/sentences.ts';

/** The sentences of the wings’ actions for the audit log. The page of the log alone loads them. */
export const SENTENCES_OF_WINGS: readonly Readonly<Record<string, Sentence>>[] = [
  raises,
  work,
  held,
  push,
  prices,
];
